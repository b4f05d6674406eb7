const LENGTH = 256;

/**
 * What a client says it is, in at most 256 characters. Some put in whom to write to, and some all that they have: words
 * that look like addresses or keys are replaced. Null where nothing is left.
 */
export function loggedUserAgent(header: string | undefined): string | null {
  if (header === undefined) return null;
  // Half a word could be half a secret, which nothing would recognise.
  const whole = header.length <= LENGTH ? header : header.slice(0, header.lastIndexOf(' ', LENGTH) + 1);
  const plain = whole
    .replace(/[^\s()<>;,:]+(?:@|%40)[^\s()<>;,]*/gi, ':address')
    .replace(/[\w+=-]{20,}/g, (word) => (/\d/.test(word) ? ':secret' : word))
    .trim();
  return plain === '' ? null : plain;
}
