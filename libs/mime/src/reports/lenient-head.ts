import { isUtf8 } from 'node:buffer';
import { decodeEncodedWords } from '../parse/encoded-words.js';

/** A header field: name in lower case; value unfolded, trimmed and with encoded words (RFC 2047) decoded. */
export interface ReportField {
  name: string;
  value: string;
}

export interface ReportHead {
  fields: ReportField[];
  /** First octet after the head. */
  end: number;
}

/** Octets of a head that are read; the rest counts as body. */
export const MAX_HEAD = 256 * 1024;
/** Nearly every head is shorter. Converting `MAX_HEAD` octets of each part to text would cost more than all else. */
const USUAL_HEAD = 8 * 1024;
const LF = 0x0a;
const MAX_FIELDS = 2_000;
const FIELD = /^([!-9;-~]{1,100})[ \t]*:/;
const BEYOND_ASCII = /[^\0-\x7f]/;
const MBOX_LINE = /^>?From /;

/** The value of the first field of that name; '' where there is none. */
export function fieldValue(fields: readonly ReportField[], name: string): string {
  return fields.find((field) => field.name === name)?.value ?? '';
}

/**
 * Reads a header block as broken systems write it: with any line end, without a blank line after it, folded without white
 * space after a semicolon, with an mbox line. It ends at a blank line or at the first line that cannot belong to it.
 */
export function readLenientHead(message: Buffer, start = 0, maxOctets = MAX_HEAD): ReportHead {
  const head = headWithin(message, start, Math.min(maxOctets, USUAL_HEAD));
  // The line at which it ended may have been cut.
  const lineEnd = message.indexOf(LF, head.end);
  return lineEnd >= 0 && lineEnd < start + USUAL_HEAD ? head : headWithin(message, start, maxOctets);
}

function headWithin(message: Buffer, start: number, maxOctets: number): ReportHead {
  // One character is one octet, so offsets in the text are offsets in the message.
  const text = message.toString('latin1', start, start + maxOctets);
  const fields: ReportField[] = [];
  let lines: string[] = [];
  const finish = () => {
    if (lines.length > 0) fields.push(toField(lines));
    lines = [];
  };
  let at = 0;
  while (at < text.length && fields.length < MAX_FIELDS) {
    const next = text.indexOf('\n', at) + 1 || text.length;
    const line = text.slice(at, next).replace(/[\r\n]{1,8}$/, '');
    if (line === '') {
      at = next;
      break;
    }
    if (continues(line, lines)) lines.push(line);
    else if (FIELD.test(line) && !line.startsWith('--')) {
      finish();
      lines = [line];
    } else if (!MBOX_LINE.test(line)) break;
    at = next;
  }
  finish();
  return { fields, end: Math.min(start + at, message.length) };
}

function continues(line: string, before: readonly string[]): boolean {
  const last = before.at(-1);
  if (last === undefined) return false;
  if (line.startsWith(' ') || line.startsWith('\t')) return true;
  return last.endsWith(';') && !FIELD.test(line) && !line.startsWith('--');
}

function toField(lines: readonly string[]): ReportField {
  const [first] = lines;
  const colon = first.indexOf(':');
  const value = [first.slice(colon + 1), ...lines.slice(1)].map((line) => line.trim()).join(' ');
  return { name: first.slice(0, colon).trimEnd().toLowerCase(), value: decodeEncodedWords(fromOctets(value).trim()) };
}

/** As UTF-8 (RFC 6532) where it is valid UTF-8, else as Latin-1. */
function fromOctets(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  const octets = Buffer.from(text, 'latin1');
  return isUtf8(octets) ? octets.toString('utf8') : text;
}
