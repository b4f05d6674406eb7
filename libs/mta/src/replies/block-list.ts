/** Longer texts are read up to this length. */
const READ_CHARACTERS = 2_000;
/** Operators of block lists, by a label of their host names or by a word of the text. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['spamhaus', 'Spamhaus'],
  ['spamcop', 'SpamCop'],
  ['barracudacentral', 'Barracuda'],
  ['barracuda', 'Barracuda'],
  ['sorbs', 'SORBS'],
  ['abusix', 'Abusix'],
  ['uceprotect', 'UCEPROTECT'],
  ['mailspike', 'Mailspike'],
  ['psbl', 'PSBL'],
  ['manitu', 'NiX Spam'],
  ['junkemailfilter', 'Hostkarma'],
  ['backscatterer', 'Backscatterer'],
  ['dronebl', 'DroneBL'],
  ['gbudb', 'GBUdb'],
  ['invaluement', 'Invaluement'],
  ['spfbl', 'SPFBL'],
  ['senderscore', 'Sender Score'],
  ['cloudmark', 'Cloudmark'],
  ['proofpoint', 'Proofpoint'],
]);
/** Labels of zones that hold block lists: `dnsbl.example.net`, `bl.example.org`. */
const LIST_LABEL = /^(?:dns|u|r|ip)?(?:bl|rbl|blocklist|blacklist)(?:-?\d)?$/;

/** The name of the block list to which a reply refers: its zone or page, otherwise its operator; null if it names none. */
export function readBlockList(reply: string): string | null {
  const tokens = reply
    .slice(0, READ_CHARACTERS)
    .toLowerCase()
    .split(/[^a-z0-9.-]/);
  const hosts = tokens.map(hostIn).filter((host) => host !== null);
  const labelled = (isList: (label: string) => boolean) => hosts.find((host) => host.split('.').some(isList));
  const host = labelled((label) => OPERATORS.has(label)) ?? labelled((label) => LIST_LABEL.test(label));
  if (host !== undefined) return host;
  const word = tokens.find((token) => OPERATORS.has(token));
  return word === undefined ? null : (OPERATORS.get(word) as string);
}

/** The host name in a token; null without one. The last label of an address or of an enhanced code is a number. */
function hostIn(token: string): string | null {
  const labels = token.split('.').filter((label) => label !== '');
  if (labels.length < 2 || !/^[a-z]{2,24}$/.test(labels[labels.length - 1])) return null;
  return (labels[0] === 'www' ? labels.slice(1) : labels).join('.');
}
