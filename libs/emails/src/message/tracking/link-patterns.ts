/**
 * True if a pattern matches a link. A pattern is compared with the link without its scheme, in any case: one without a slash
 * with the host alone, and `*` stands for any text.
 * @param link an absolute http or https URL
 */
export function matchesLinkPattern(patterns: readonly string[], link: string): boolean {
  if (patterns.length === 0) return false;
  const place = link.slice(link.indexOf('//') + 2).toLowerCase();
  const host = place.split(/[/?#]/, 1)[0];
  return patterns.some((pattern) => matches(pattern.toLowerCase(), pattern.includes('/') ? place : host));
}

/** Linear: each piece is searched behind the one before it, where it occurs first. */
function matches(pattern: string, text: string): boolean {
  const pieces = pattern.split('*');
  const last = pieces.pop() ?? '';
  if (pieces.length === 0) return text === last;
  const [first, ...middle] = pieces;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of middle) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
