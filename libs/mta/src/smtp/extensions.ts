/** The extensions in the last EHLO reply of the server. */
export interface Extensions {
  pipelining: boolean;
  eightBitMime: boolean;
  smtpUtf8: boolean;
  startTls: boolean;
  /** In bytes. 0: offered without a limit. Null: not offered. */
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

/** A keyword and its parameters. Old servers wrote `AUTH=LOGIN`. Not anchored at the end, so a keyword is read once. */
const KEYWORD = /^\d{3}[ -]([A-Za-z0-9][A-Za-z0-9-]*)[ =]?(.*)/;

/**
 * Parses the lines after the first one of an EHLO reply (RFC 5321 §4.1.1.1) of at most `MAX_REPLY_BYTES`. Unknown keywords
 * are ignored. Linear.
 */
export function readExtensions(raw: string): Extensions {
  const offers = new Map<string, string>();
  for (const line of raw.split(/\r?\n/).slice(1)) {
    const match = KEYWORD.exec(line);
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
