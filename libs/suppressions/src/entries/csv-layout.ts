import { isUtf8 } from 'node:buffer';

/** How the cells of a CSV file are separated, and the line on which its columns are named. */
export interface CsvLayout {
  delimiter: string;
  firstLine: number;
}

/** In the order of preference; spreadsheets write semicolons where the comma is the decimal separator. */
const DELIMITERS = [',', ';', '\t'] as const;
/** Of the first line; the parser refuses longer records. */
const EXAMINED = 8_192;
/** Names the delimiter for a spreadsheet, before the names of the columns. */
const SEPARATOR_LINE = /^sep=([,;\t])$/i;

/** The file in UTF-8: it may be UTF-16 with a byte order mark. Null for other encodings, and for U+0000. */
export function toUtf8(bytes: Buffer): Buffer | null {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
  const label = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : null;
  const decoded = label === null ? bytes : fromUtf16(bytes, label);
  return decoded !== null && isUtf8(decoded) && !decoded.includes(0) ? decoded : null;
}

function fromUtf16(bytes: Buffer, label: string): Buffer | null {
  try {
    return Buffer.from(new TextDecoder(label, { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}

/**
 * The layout of a file in UTF-8: as a line `sep=;` says, else the delimiter by which the first line has the column that must be
 * there, and most columns.
 * @param isNamed whether a cell of the first line names the column that must be there
 */
export function layoutOf(bytes: Buffer, isNamed: (cell: string) => boolean): CsvLayout {
  const start = bytes.toString('utf8', 0, EXAMINED).replace(/^\ufeff/, '');
  const blank = /^[\r\n]*/.exec(start)?.[0] ?? '';
  const first = start.slice(blank.length);
  const line = firstRecord(first);
  const [, separator] = SEPARATOR_LINE.exec(line.trim()) ?? SEPARATOR_LINE.exec(line) ?? [];
  if (separator !== undefined) return { delimiter: separator, firstLine: linesIn(blank) + 2 };
  const scores = DELIMITERS.map((delimiter) => {
    const cells = cellsOf(line, delimiter);
    return { delimiter, score: (cells.some(isNamed) ? EXAMINED : 0) + cells.length };
  });
  const { delimiter } = scores.reduce((best, one) => (one.score > best.score ? one : best));
  return { delimiter, firstLine: 1 };
}

const linesIn = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0;

/** Up to the end of the line that is not inside quotes. */
function firstRecord(text: string): string {
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (text[i] === '\r' || text[i] === '\n')) return text.slice(0, i);
  }
  return text;
}

function cellsOf(record: string, delimiter: string): string[] {
  const cells = [''];
  let isQuoted = false;
  for (const character of record) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) cells.push('');
    else cells[cells.length - 1] += character;
  }
  return cells;
}
