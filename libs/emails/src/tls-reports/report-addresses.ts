/**
 * Where a domain wants its TLS reports: the `mailto:` and `https:` of its one TXT record at `_smtp._tls` (RFC 8460 §3).
 * `http:` is left to whoever calls: it is refused outside of tests.
 * Empty for no such record, for several, and for one that does not read.
 */
export function reportAddresses(texts: readonly string[]): URL[] {
  const records = texts.filter((text) => /^v=TLSRPTv1[ \t]*;/.test(text));
  if (records.length !== 1) return [];
  const rua = /;[ \t]*rua=([^;]*)/.exec(records[0])?.[1] ?? '';
  return rua
    .split(',')
    .slice(0, MOST)
    .flatMap((uri) => {
      const url = URL.canParse(uri.trim()) ? new URL(uri.trim()) : null;
      return url !== null && SCHEMES.has(url.protocol) ? [url] : [];
    });
}

const SCHEMES = new Set(['mailto:', 'https:', 'http:']);
/** Nobody needs more copies. */
const MOST = 5;
