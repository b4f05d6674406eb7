/** What the peer offered in its last EHLO reply. */
export interface Extensions {
  pipelining: boolean;
  eightBitMime: boolean;
  smtpUtf8: boolean;
  startTls: boolean;
  /** Bytes; 0: offered without a limit; null: not offered. */
  size: number | null;
  /** Mechanisms in upper case. */
  auth: ReadonlySet<string>;
}

export const NO_EXTENSIONS: Extensions = {
  pipelining: false,
  eightBitMime: false,
  smtpUtf8: false,
  startTls: false,
  size: null,
  auth: new Set(),
};

/** Reads the lines after the first of an EHLO reply (RFC 5321 §4.1.1.1); unknown keywords are skipped. */
export function readExtensions(raw: string): Extensions {
  const offers = new Map<string, string>();
  for (const line of raw.split(/\r?\n/).slice(1)) {
    // Old servers wrote AUTH=LOGIN.
    const match = /^\d{3}[ -]([A-Za-z0-9][A-Za-z0-9-]*)[ =]?(.*)$/.exec(line);
    if (match !== null) offers.set(match[1].toUpperCase(), `${offers.get(match[1].toUpperCase()) ?? ''} ${match[2]}`);
  }
  const size = offers.get('SIZE');
  return {
    pipelining: offers.has('PIPELINING'),
    eightBitMime: offers.has('8BITMIME'),
    smtpUtf8: offers.has('SMTPUTF8'),
    startTls: offers.has('STARTTLS'),
    size: size === undefined ? null : Number(/^\s*(\d{1,15})\s*$/.exec(size)?.[1] ?? 0),
    auth: new Set((offers.get('AUTH') ?? '').trim().toUpperCase().split(/\s+/)),
  };
}
