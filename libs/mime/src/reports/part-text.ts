import { decodeText } from '../parse/charsets.js';
import { readStructuredValue } from '../parse/structured-value.js';
import { fieldValue, type ReportField } from './lenient-head.js';
import type { ReportPart } from './report-parts.js';

/** Of one part. */
const MAX_LINES = 5_000;
const LINE_END = /\r{0,8}\n|\r/;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
const ENTITY = /&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{1,6});/gi;
/** Tags after which a reader sees a new line. */
const BREAK = /^\/?(?:br|p|div|tr|li|ul|ol|h[1-6]|table|pre|blockquote|hr)\b/i;
const HIDDEN = /^(style|script|head|title)\b/i;

/** `begin 644 a.zip` (uuencode). */
const FILE_BEGINS = /^begin(?:-base64)? [0-7]{3,4} \S/;
const FILE_ENDS = /^(?:end|={4})\s{0,9}$/;
/** A line of an encoded file whose header is lost. */
const BASE64_LINE = /^[A-Za-z0-9+/]{60,2000}={0,2}$/;
/** Control characters, except white space and the escapes of ISO-2022-JP. */
const CONTROL = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/g;
const MAX_CONTROL_SHARE = 0.06;
/** Fewer are faults of a text. */
const MIN_CONTROLS = 4;
const SAMPLE = 4_096;

/** The first 5,000 lines of a part as a mail reader shows them: decoded from its charset, without HTML tags and files. */
export function partLines(part: ReportPart): string[] {
  const text = decodeText(part.body, part.parameters.get('charset') ?? '');
  return legibleLines((part.type === 'text/html' ? textOfHtml(text) : text).split(LINE_END, MAX_LINES));
}

/** Whether a part that is declared as text, or not declared, is a file. */
export function isFile({ fields, body }: ReportPart, text = body.toString('latin1', 0, SAMPLE)): boolean {
  const name = readStructuredValue(fieldValue(fields, 'content-disposition')).parameters.get('filename') ?? '';
  if (name.includes('.') && !TEXT_FILE.test(name)) return true;
  // UTF-16 has a zero octet beside each letter.
  return isBinary(UTF_16.test(text) || isUtf16Declared(fields) ? text.replaceAll('\0', '') : text);
}

const TEXT_FILE = /\.(?:txt|text|log|html?|eml|msg)$/i;
const UTF_16 = /^(?:\xff\xfe|\xfe\xff)/;
const isUtf16Declared = (fields: readonly ReportField[]): boolean =>
  /utf-?(?:16|32)/i.test(fieldValue(fields, 'content-type').slice(0, 500));

function isBinary(text: string): boolean {
  const sample = text.slice(0, SAMPLE);
  return (sample.match(CONTROL)?.length ?? 0) >= Math.max(MIN_CONTROLS, sample.length * MAX_CONTROL_SHARE);
}

function legibleLines(lines: readonly string[]): string[] {
  let inFile = false;
  return lines.filter((line) => {
    if (FILE_BEGINS.test(line)) inFile = true;
    const isFileLine = inFile || BASE64_LINE.test(line);
    if (FILE_ENDS.test(line)) inFile = false;
    return !isFileLine && !isBinary(line);
  });
}

/** One pass from tag to tag. An opening bracket that is never closed is text. */
function textOfHtml(html: string): string {
  const pieces: string[] = [];
  let at = 0;
  for (let open = html.indexOf('<'); open >= 0; open = html.indexOf('<', at)) {
    pieces.push(html.slice(at, open).replace(/\s{1,1000}/g, ' '));
    const close = html.indexOf('>', open);
    if (close < 0) {
      at = open;
      break;
    }
    const tag = html.slice(open + 1, Math.min(close, open + 40));
    if (BREAK.test(tag)) pieces.push('\n');
    const hidden = HIDDEN.exec(tag)?.[1];
    at = hidden === undefined ? close + 1 : endOfHidden(html, close, hidden);
  }
  pieces.push(html.slice(at));
  return pieces.join('').replace(ENTITY, entity);
}

/** As in a browser, an element that is never closed hides the rest of the document. */
function endOfHidden(html: string, from: number, name: string): number {
  const end = new RegExp(`</${name}\\b`, 'gi');
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}

function entity(all: string, name: string): string {
  const known = ENTITIES[name.toLowerCase()];
  if (!name.startsWith('#')) return known ?? all;
  const code = Number(name.slice(1).replace(/^x/i, '0x'));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
}
