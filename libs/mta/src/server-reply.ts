import { bothEnds } from './both-ends.js';
import type { ServerReply } from './delivery-outcome.js';
import { printableText } from './printable-text.js';
import type { RawReply } from './reply-reader.js';

/** Of longer replies only this much of either end is read: more could not be shown. */
const READ_AT_EACH_END = 2000;

const LINE = /^(?:[2-5]\d\d(?:[ -]|$))?(?:([245]\.\d{1,3}\.\d{1,3})(?:\s+|$))?(.*)$/s;
/** Cisco's appliances begin with `#5.1.1`, qmail and its children end with `(#5.1.1)`. */
const MARKED = /(?:^|\()#([245]\.\d{1,3}\.\d{1,3})(?![\d.])/;

const CONTROL = /\p{Cc}+/gu;

/** Takes code, enhanced code (RFC 2034, of the first line that has one) and words apart. Lines are joined by one space. */
export function toServerReply(reply: RawReply): ServerReply {
  let enhanced: string | null = null;
  const words: string[] = [];
  for (const line of bothEnds(reply.raw, READ_AT_EACH_END).split(/\r?\n/)) {
    const match = LINE.exec(line.replace(CONTROL, ' '));
    if (match === null) continue;
    enhanced ??= match[1] ?? null;
    if (match[2].trim() !== '') words.push(match[2].trim());
  }
  const text = words.join(' ');
  return { code: reply.code, enhanced: enhanced ?? marked(text, reply.code), text: printableText(text) };
}

function marked(text: string, code: number | null): string | null {
  const found = MARKED.exec(text)?.[1];
  return found !== undefined && code !== null && found[0] === String(code)[0] ? found : null;
}
