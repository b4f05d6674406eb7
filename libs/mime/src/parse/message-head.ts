import { isAscii, isUtf8 } from 'node:buffer';
import type { Problem } from './mailbox.js';

/** One header field. `value` is unfolded and trimmed but not decoded; the offsets span the field with its last CRLF. */
export interface HeaderField {
  name: string;
  /** The name in lower case. */
  key: string;
  value: string;
  start: number;
  end: number;
}

/** `bodyOffset` is the first octet after the blank line, or the length of the message where there is none. */
export interface MessageHead {
  fields: HeaderField[];
  bodyOffset: number;
}

interface HeadLimits {
  fields: number;
  octets: number;
}

const HEAD_LIMITS: HeadLimits = { fields: 1_000, octets: 64 * 1024 };

const CR = 0x0d;
const LF = 0x0a;
const TAB = 0x09;
const SPACE = 0x20;
const COLON = 0x3a;

/**
 * Reads the header block of a message with CRLF line ends, but not the body.
 *
 * Strict where mail readers differ, because text that one takes for the body is a header for another: a line without colon,
 * a space before the colon, a continuation without field and a continuation of white space alone are refused.
 */
export function readMessageHead(message: Buffer, limits: HeadLimits = HEAD_LIMITS): MessageHead | Problem {
  const fields: HeaderField[] = [];
  let start = 0;
  while (start < message.length) {
    const lineEnd = endOfLine(message, start);
    if (isBlankLine(message, start, lineEnd)) return { fields, bodyOffset: lineEnd };
    const end = endOfField(message, lineEnd);
    if (end === undefined) return { problem: 'message has a header line of white space alone' };
    if (end > limits.octets) return { problem: `message has more than ${limits.octets} octets of headers` };
    if (fields.length === limits.fields) return { problem: `message has more than ${limits.fields} headers` };
    const field = readField(message, start, end);
    if (field === undefined) return { problem: 'message has a malformed header line' };
    fields.push(field);
    start = end;
  }
  return { fields, bodyOffset: message.length };
}

function endOfLine(message: Buffer, from: number): number {
  const newline = message.indexOf(LF, from);
  return newline < 0 ? message.length : newline + 1;
}

function isBlankLine(message: Buffer, start: number, end: number): boolean {
  return message[start] === LF || (message[start] === CR && end === start + 2);
}

/** The end of the last continuation line; undefined where a continuation line is white space alone. */
function endOfField(message: Buffer, firstLineEnd: number): number | undefined {
  let end = firstLineEnd;
  while (message[end] === SPACE || message[end] === TAB) {
    const lineEnd = endOfLine(message, end);
    let at = end;
    while (at < lineEnd && isWhite(message[at])) at += 1;
    if (at === lineEnd) return undefined;
    end = lineEnd;
  }
  return end;
}

function isWhite(octet: number): boolean {
  return octet === SPACE || octet === TAB || octet === CR || octet === LF;
}

function readField(message: Buffer, start: number, end: number): HeaderField | undefined {
  let colon = start;
  // RFC 5322 §3.6.8: printable ASCII without the colon.
  while (colon < end && message[colon] > SPACE && message[colon] < 0x7f && message[colon] !== COLON) colon += 1;
  if (colon === start || colon === end || message[colon] !== COLON) return undefined;
  const name = message.toString('latin1', start, colon);
  return {
    name,
    key: name.toLowerCase(),
    value: unfold(message.subarray(colon + 1, end)),
    start,
    end,
  };
}

/** As UTF-8 (RFC 6532) where it is valid, else as Latin-1, so that no octet is lost. */
function unfold(value: Buffer): string {
  const text = value.toString(isAscii(value) || !isUtf8(value) ? 'latin1' : 'utf8').replace(/[\r\n]+/g, '');
  let from = 0;
  let to = text.length;
  while (text[from] === ' ' || text[from] === '\t') from += 1;
  while (to > from && (text[to - 1] === ' ' || text[to - 1] === '\t')) to -= 1;
  return text.slice(from, to);
}

/** The unfolded value of the first field of this name (in lower case); '' if there is none, or the head is malformed. */
export function headerValue(message: Buffer, key: string): string {
  const head = readMessageHead(message);
  return 'problem' in head ? '' : (head.fields.find((field) => field.key === key)?.value ?? '');
}
