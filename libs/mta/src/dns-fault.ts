/** The errors of node:dns in the words of people. */
const FAULTS: Readonly<Record<string, string>> = {
  ESERVFAIL: 'the name server failed (SERVFAIL)',
  EREFUSED: 'the name server refused to answer (REFUSED)',
  EBADRESP: 'the name server answered what does not read',
  ETIMEOUT: 'the name server did not answer in time',
  ECONNREFUSED: 'the name server could not be reached',
};

/** What a failed question says to whoever looks why a mail waits; a code that is rare stays as it is. */
export const dnsFault = (code: string): string => FAULTS[code] ?? code;
