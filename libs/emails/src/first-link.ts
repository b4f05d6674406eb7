import { readParts } from '#libs/mime';
import { decodeParts } from './intake/stored-parts.js';
import type { StoredContent } from './ledger/delivery-job.js';

/** Beyond it nobody would look for a link to click in a test. */
const SEARCHED_CHARACTERS = 256 * 1024;
/** No `<` within a tag and a bounded length: the search is linear whatever the text is. */
const ANCHOR = /<a\s[^<>]{0,2000}?\bhref\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'<>]+))/gi;

/** The target of the first web link of the mail's HTML, or null. */
export function firstLink({ format, body }: StoredContent): string | null {
  const html = (format === 'mime' ? readParts(body).html : decodeParts(body).html) ?? '';
  for (const [, quoted, single, bare] of html.slice(0, SEARCHED_CHARACTERS).matchAll(ANCHOR)) {
    const target = (quoted ?? single ?? bare).replaceAll('&amp;', '&').trim();
    if (/^https?:\/\//i.test(target)) return target;
  }
  return null;
}
