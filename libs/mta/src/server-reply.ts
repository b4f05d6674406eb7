import type { ServerReply } from './delivery-outcome.js';
import type { RawReply } from './reply-reader.js';

/** Longer words are cut; a reply is stored with every attempt. */
const MAX_TEXT = 1000;

const LINE = /^(?:[2-5]\d\d(?:[ -]|$))?(?:([245]\.\d{1,3}\.\d{1,3})(?:\s+|$))?(.*)$/;
/** Cisco's appliances begin with `#5.1.1`, qmail and its children end with `(#5.1.1)`. */
const MARKED = /(?:^|\()#([245]\.\d{1,3}\.\d{1,3})(?![\d.])/;
// Remote words reach logs, terminals, web pages and JSON: no control characters, nothing that turns the direction of
// writing or hides (RFC 6365 §5.2), no halves of surrogate pairs.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

/** Takes code, enhanced code (RFC 2034, of the first line that has one) and words apart. Lines are joined by one space. */
export function toServerReply(reply: RawReply): ServerReply {
  let enhanced: string | null = null;
  const words: string[] = [];
  for (const line of reply.raw.slice(0, MAX_TEXT * 4).split(/\r?\n/)) {
    const match = LINE.exec(line.replace(UNPRINTABLE, ' '));
    if (match === null) continue;
    enhanced ??= match[1] ?? null;
    if (match[2].trim() !== '') words.push(match[2].trim());
  }
  const text = words.join(' ');
  return { code: reply.code, enhanced: enhanced ?? marked(text, reply.code), text: bounded(text) };
}

function marked(text: string, code: number | null): string | null {
  const found = MARKED.exec(text)?.[1];
  return found !== undefined && code !== null && found[0] === String(code)[0] ? found : null;
}

function bounded(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1).replace(/\p{Cs}$/u, '')}…` : text;
}
