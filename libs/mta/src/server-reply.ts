import type { ServerReply } from './delivery-outcome.js';
import type { RawReply } from './reply-reader.js';

/** Longer words are cut; a reply is stored with every attempt. */
const MAX_TEXT = 1000;

const LINE = /^(?:[2-5]\d\d(?:[ -]|$))?(?:([245]\.\d{1,3}\.\d{1,3})(?:\s+|$))?(.*)$/;
// Remote words reach logs, terminals and web pages: no control characters.
const CONTROL = /\p{Cc}+/gu;

/** Takes code, enhanced code (RFC 2034, of the first line that has one) and words apart. */
export function toServerReply(reply: RawReply): ServerReply {
  let enhanced: string | null = null;
  const words: string[] = [];
  for (const line of reply.raw.slice(0, MAX_TEXT * 4).split(/\r?\n/)) {
    const match = LINE.exec(line.replace(CONTROL, ' '));
    if (match === null) continue;
    enhanced ??= match[1] ?? null;
    if (match[2].trim() !== '') words.push(match[2].trim());
  }
  const text = words.join(' ');
  return { code: reply.code, enhanced, text: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text };
}
