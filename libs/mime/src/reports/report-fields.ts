import { isUtf8 } from 'node:buffer';
import { decodeWords } from '../decode-words.js';

/** One field: its name in lower case, its value unfolded, trimmed and with its encoded words (RFC 2047) decoded. */
export interface ReportField {
  name: string;
  value: string;
}

export interface ReportHead {
  fields: ReportField[];
  /** First octet behind the head. */
  end: number;
}

/** More of a head is not read; what follows counts as body. */
export const MAX_HEAD = 256 * 1024;
/** Nearly every head is shorter, and to look whether one is costs as much as what is looked at. */
const BRIEF = 8 * 1024;
const LF = 0x0a;
const MAX_FIELDS = 2_000;
const FIELD = /^([!-9;-~]{1,100})[ \t]*:/;
const BEYOND_ASCII = /[^\0-\x7f]/;
const MBOX_LINE = /^>?From /;

/** The value of the first field of that name; '' where there is none. */
export function fieldOf(fields: readonly ReportField[], name: string): string {
  return fields.find((field) => field.name === name)?.value ?? '';
}

/**
 * Reads a head as broken systems write it: any line end, no blank line behind it, folding without white space after a
 * semicolon, a line of an mbox file. It ends at a blank line or at the first line that can be no part of a head.
 */
export function readHead(message: Buffer, start = 0, room = MAX_HEAD): ReportHead {
  const brief = headWithin(message, start, Math.min(room, BRIEF));
  // What it ended at may be a line that was cut.
  const lineEnd = message.indexOf(LF, brief.end);
  return lineEnd >= 0 && lineEnd < start + BRIEF ? brief : headWithin(message, start, room);
}

function headWithin(message: Buffer, start: number, room: number): ReportHead {
  // One character is one octet, so offsets in the text are offsets in the message.
  const text = message.toString('latin1', start, start + room);
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
  return { name: first.slice(0, colon).trimEnd().toLowerCase(), value: decodeWords(fromOctets(value).trim()) };
}

/** As UTF-8 (RFC 6532) where it is that, else as it stands. */
function fromOctets(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  const octets = Buffer.from(text, 'latin1');
  return isUtf8(octets) ? octets.toString('utf8') : text;
}
