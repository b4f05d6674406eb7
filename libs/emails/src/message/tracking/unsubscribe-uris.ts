import { parseUrl } from '#libs/kernel';
import { headerFields } from '#libs/mime';

/**
 * The keys of the http and https URIs in the values of `List-Unsubscribe` (RFC 2369 §3.2). White space within a URI is
 * ignored (§2), although some senders mean `%20`, so a URI with white space has two keys. URIs without brackets are read too.
 * @param values unfolded; some libraries write long ones as encoded words
 */
export function readUnsubscribeUris(values: readonly string[]): ReadonlySet<string> {
  const written = values.flatMap((value) => urisIn(headerFields.decode(value)));
  const spellings = written.flatMap((uri) => [uri.replace(/\s+/g, ''), uri.trim()]);
  return new Set(spellings.flatMap((uri) => uriKey(uri) ?? []));
}

function urisIn(value: string): string[] {
  if (!value.includes('<')) return value.split(',');
  return value
    .split('<')
    .slice(1)
    .map((piece) => piece.split('>', 1)[0]);
}

/**
 * Text that is equal for all spellings of an http or https URI (RFC 3986 §6.2): case of scheme and host, default port, dot
 * segments, percent-encoding, `&amp;`. Scheme, user and fragment do not count: a page that answers both with and without
 * TLS is one page. Null for other text.
 */
export function uriKey(uri: string): string | null {
  const plain = uri.replace(/&(?:amp;|#38;|#x26;)+/gi, '&');
  const url = parseUrl(plain);
  if (url === null) return null;
  const { protocol, hostname, port, pathname, search } = url;
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  const place = `${hostname.replace(/\.$/, '')}${port === '' ? '' : `:${port}`}`;
  return `${place}${decoded(pathname)}${decoded(search.replaceAll('+', ' '))}`;
}

/** Octets that are not UTF-8 stay encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%[0-9a-f]{2}/gi, (code) => {
      const octet = Number.parseInt(code.slice(1), 16);
      return octet < 0x80 ? String.fromCharCode(octet) : code.toUpperCase();
    });
  }
}
