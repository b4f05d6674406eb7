/** The errors of `node:dns` as text for people. */
const TEXTS: Readonly<Record<string, string>> = {
  ESERVFAIL: 'the name server failed (SERVFAIL)',
  EREFUSED: 'the name server refused to answer (REFUSED)',
  EBADRESP: 'the name server answered what does not read',
  ETIMEOUT: 'the name server did not answer in time',
  ECONNREFUSED: 'the name server could not be reached',
};

/** The codes of c-ares that mean that a server did reply; any other one means silence or a cancelled query. */
const REPLIED = new Set(['ENODATA', 'EFORMERR', 'ESERVFAIL', 'ENOTFOUND', 'ENOTIMP', 'EREFUSED', 'EBADRESP']);

/** Describes a failed query; rare codes are returned as they are. */
export const dnsErrorText = (code: string): string => TEXTS[code] ?? code;

export function dnsErrorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : String(error);
}

/** The name, or this type of record at it, does not exist. */
export function isAbsent(error: unknown): boolean {
  return ['ENODATA', 'ENOTFOUND'].includes(dnsErrorCode(error));
}

/** Whether a name server replied at all, even if only with an error. */
export function isReply(error: unknown): boolean {
  return REPLIED.has(dnsErrorCode(error));
}
