const LENGTH = 256;
const IS_ADDRESS = /@|%40/;
/** Names of programs are this long as well, but have no digits. */
const MAYBE_SECRET = /[\w+=-]{20,}/g;
/** Hardly any client needs more than this one look. */
const IS_SUSPICIOUS = /@|%40|[\w+=-]{20}/;

/**
 * What a client says it is, in at most 256 characters. Some put in whom to write to, and some all that they have: words
 * that look like addresses or keys are replaced. Null where nothing is left. Takes time in proportion to the length.
 */
export function loggedUserAgent(header: string | undefined): string | null {
  if (header === undefined || header === '') return null;
  // Half a word could be half a secret, which nothing would recognise.
  const whole = header.length <= LENGTH ? header : header.slice(0, header.lastIndexOf(' ', LENGTH) + 1).trimEnd();
  const plain = IS_SUSPICIOUS.test(whole) ? whole.replace(/[^\s()<>;,:]+/g, withoutSecrets) : whole;
  return plain === '' ? null : plain;
}

function withoutSecrets(word: string): string {
  if (IS_ADDRESS.test(word)) return ':address';
  return word.replace(MAYBE_SECRET, (part) => (/\d/.test(part) ? ':secret' : part));
}
