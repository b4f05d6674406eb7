import { parseUrl } from '#libs/kernel';
import { parseMailbox } from '#libs/mime';

export interface ReportAddress {
  url: URL;
  /** The address of a `mailto:` URI. */
  mailbox: string | null;
}

/**
 * Returns the `mailto:` and `https:` URIs of a domain's TXT record at `_smtp._tls` (RFC 8460 §3). `http:` is returned
 * too; the caller rejects it outside of tests. Empty if there is no valid record, or more than one. Invalid URIs are
 * skipped.
 */
export function reportAddresses(texts: readonly string[]): ReportAddress[] {
  const records = texts.filter((text) => /^v=TLSRPTv1[ \t]*;/.test(text));
  if (records.length !== 1) return [];
  const rua = /;[ \t]*rua=([^;]*)/.exec(records[0])?.[1] ?? '';
  return rua
    .split(',')
    .slice(0, MAX_ADDRESSES)
    .flatMap((uri) => readAddress(uri.trim()) ?? []);
}

function readAddress(uri: string): ReportAddress | null {
  const url = parseUrl(uri);
  if (url === null || !SCHEMES.has(url.protocol)) return null;
  if (url.protocol !== 'mailto:') return { url, mailbox: null };
  const mailbox = parseMailbox(decoded(url.pathname));
  // The report's To field is ASCII only.
  return 'problem' in mailbox || !/^[!-~]+$/.test(mailbox.address) ? null : { url, mailbox: mailbox.address };
}

/** Returns '' for invalid percent-encoding (RFC 3986 §2.1). */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

const SCHEMES = new Set(['mailto:', 'https:', 'http:']);
/** A domain with more addresses gets its report at the first ones only. */
const MAX_ADDRESSES = 5;
