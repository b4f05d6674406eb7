import { parseMailbox } from '#libs/mime';

export interface ReportAddress {
  url: URL;
  /** Of a `mailto:`. */
  mailbox: string | null;
}

/**
 * Where a domain wants its TLS reports: the `mailto:` and `https:` of its one TXT record at `_smtp._tls` (RFC 8460 §3).
 * `http:` is left to whoever calls: it is refused outside of tests.
 * Empty for no such record, for several, and for one that does not read; an address that does not is left out.
 */
export function reportAddresses(texts: readonly string[]): ReportAddress[] {
  const records = texts.filter((text) => /^v=TLSRPTv1[ \t]*;/.test(text));
  if (records.length !== 1) return [];
  const rua = /;[ \t]*rua=([^;]*)/.exec(records[0])?.[1] ?? '';
  return rua
    .split(',')
    .slice(0, MOST)
    .flatMap((uri) => readAddress(uri.trim()) ?? []);
}

function readAddress(uri: string): ReportAddress | null {
  const url = URL.canParse(uri) ? new URL(uri) : null;
  if (url === null || !SCHEMES.has(url.protocol)) return null;
  if (url.protocol !== 'mailto:') return { url, mailbox: null };
  const mailbox = parseMailbox(decoded(url.pathname));
  // The report's own header has room for ASCII only.
  return 'problem' in mailbox || !/^[!-~]+$/.test(mailbox.address) ? null : { url, mailbox: mailbox.address };
}

/** '' where it does not decode (RFC 3986 §2.1). */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

const SCHEMES = new Set(['mailto:', 'https:', 'http:']);
/** Nobody needs more copies. */
const MOST = 5;
