import type { Problem } from './mailbox.js';

/** RFC 5322 §2.1.1, without the CRLF. */
const MAX_LINE = 998;
const NUL = 0x00;
const LF = 0x0a;
const CR = 0x0d;

/**
 * Makes the line ends of a submitted message CRLF and ends it with CRLF; every other byte stays. A message that is in order
 * comes back as the same buffer. Bare CR, NUL and over-long lines are refused (554 5.6.0), since any repair would change
 * what the sender signed, and a bare CR is read as a line end by some receivers and not by others (SMTP smuggling).
 *
 * One pass over the bytes, whatever they are: 10 MB take about 15 ms.
 */
export function normaliseSubmission(raw: Buffer): { message: Buffer } | Problem {
  let bareLineFeeds = 0;
  let lineStart = 0;
  const { length } = raw;
  for (let at = 0; at < length; at += 1) {
    const octet = raw[at];
    if (octet > CR) continue;
    if (octet === LF) {
      const bare = at === 0 || raw[at - 1] !== CR;
      if (bare) bareLineFeeds += 1;
      if (at - lineStart - (bare ? 0 : 1) > MAX_LINE) return tooLong();
      lineStart = at + 1;
    } else if (octet === CR) {
      if (raw[at + 1] !== LF) return { problem: 'message contains a carriage return that ends no line' };
    } else if (octet === NUL) {
      return { problem: 'message contains a NUL' };
    }
  }
  if (length - lineStart > MAX_LINE) return tooLong();
  const unended = lineStart < length;
  if (bareLineFeeds === 0 && !unended) return { message: raw };
  return { message: rewrite(raw, bareLineFeeds + (unended ? 2 : 0)) };
}

function tooLong(): Problem {
  return { problem: `message contains a line of more than ${MAX_LINE} octets` };
}

function rewrite(raw: Buffer, growth: number): Buffer {
  const message = Buffer.allocUnsafe(raw.length + growth);
  let to = 0;
  let previous = 0;
  for (let at = 0; at < raw.length; at += 1) {
    const octet = raw[at];
    if (octet === LF && previous !== CR) message[to++] = CR;
    message[to++] = octet;
    previous = octet;
  }
  if (to < message.length) message[to++] = CR;
  if (to < message.length) message[to++] = LF;
  return message;
}
