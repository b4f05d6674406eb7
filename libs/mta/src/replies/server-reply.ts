import type { ServerReply } from '../delivery-outcome.js';
import { headAndTail, printableText } from './reply-text.js';
import type { RawReply } from '../smtp/reply-reader.js';

/** Of a longer reply only the beginning and the end are parsed; no more is stored. */
const READ_AT_EACH_END = 2000;

const LINE = /^(?:[2-5]\d\d(?:[ -]|$))?(?:([245]\.\d{1,3}\.\d{1,3})(?:\s|$))?(.*)/s;
/** Cisco appliances begin with `#5.1.1`; qmail and its derivatives end with `(#5.1.1)`. */
const MARKED = /(?:^|\()#([245]\.\d{1,3}\.\d{1,3})(?![\d.])/;

const CONTROL = /\p{Cc}+/gu;

/**
 * Separates code, enhanced code (RFC 2034, from the first line that has one) and text. Lines are joined by one space.
 */
export function toServerReply(reply: RawReply): ServerReply {
  let enhanced: string | null = null;
  const words: string[] = [];
  for (const line of headAndTail(reply.raw, READ_AT_EACH_END).split(/\r?\n/)) {
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
