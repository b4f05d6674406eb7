/** Room for a hundred Received fields of any real length; what has more of a header block is no loop of mail servers. */
const HEAD_OCTETS = 256 * 1024;
const BLANK_LINE = /\r?\n\r?\n/;

/** `Received` fields, however broken the rest of the header block is: what runs in a circle must end (RFC 5321 §6.3). */
export function countHops(message: Buffer): number {
  const head = message.toString('latin1', 0, HEAD_OCTETS);
  const end = head.search(BLANK_LINE);
  return (end < 0 ? head : head.slice(0, end)).match(/^received:/gim)?.length ?? 0;
}
