/*
 * Reads a CSV file of suppressions, for the import and for its preview in the dashboard, into which `npm run generate` copies
 * this file. It imports nothing.
 */

/** The columns that the service reads. */
export const CSV_COLUMNS = ['email', 'reason', 'origin', 'expires_at', 'domain_id'] as const;
export type CsvColumn = (typeof CSV_COLUMNS)[number];

/** Names under which other services export the same columns. */
const ALIASES: ReadonlyMap<string, CsvColumn> = new Map([
  ['e-mail', 'email'],
  ['email address', 'email'],
  ['email_address', 'email'],
  ['address', 'email'],
  ['recipient', 'email'],
  ['note', 'reason'],
  ['comment', 'reason'],
]);

const columnNamed = (name: string): CsvColumn | undefined => CSV_COLUMNS.find((column) => column === name);

/**
 * The column that each title of the first line names; null for one that is ignored: an unknown one, an alias beside the name
 * itself, and a repetition.
 */
export function csvColumns(titles: readonly string[]): (CsvColumn | null)[] {
  const names = titles.map((title) => title.trim().toLowerCase());
  const columns = names.map((name) => {
    const alias = ALIASES.get(name);
    return columnNamed(name) ?? (alias === undefined || names.includes(alias) ? null : alias);
  });
  return columns.map((column, i) => (columns.indexOf(column) === i ? column : null));
}

/** In the order of preference; spreadsheets write semicolons where the comma is the decimal separator. */
const CELL_ENDS = { ',': /[,\r\n]/g, ';': /[;\r\n]/g, '\t': /[\t\r\n]/g } as const;
type Delimiter = keyof typeof CELL_ENDS;
const DELIMITERS: readonly Delimiter[] = [',', ';', '\t'];
/** Characters of a record. */
export const MAX_CSV_RECORD = 8_192;
/** Names the delimiter for a spreadsheet, before the names of the columns. */
const SEPARATOR_LINE = /^sep=([,;\t])[^\S\r\n]*$/i;

export interface CsvRecord {
  /** The line on which it begins; lines count from 1. */
  line: number;
  cells: string[];
  /** Behind it in the text. */
  end: number;
  /** Position of the first violation of RFC 4180: a quote that is not doubled or closed, or too many characters. */
  problem: 'quote' | 'too_long' | null;
}

/** The records of a text without byte order mark; blank lines are left out. */
export function* csvRecords(text: string): Generator<CsvRecord> {
  const { delimiter, start } = layoutOf(text);
  const cellEnd = CELL_ENDS[delimiter];
  let at = start;
  let line = linesIn(text.slice(0, start)) + 1;
  while (at < text.length) {
    const record: CsvRecord = { line, cells: [], end: at, problem: null };
    for (;;) {
      const cell = cellAt(text, at, cellEnd);
      record.cells.push(cell.text);
      if (!cell.isWellFormed) record.problem = 'quote';
      line += cell.lines;
      at = cell.end;
      if (text[at] !== delimiter) break;
      at += 1;
    }
    if (at - record.end > MAX_CSV_RECORD) record.problem ??= 'too_long';
    at += text.startsWith('\r\n', at) ? 2 : 1;
    line += 1;
    record.end = at;
    if (record.cells.length > 1 || record.cells[0].trim() !== '') yield record;
  }
}

interface Cell {
  text: string;
  end: number;
  /** Line ends inside. */
  lines: number;
  isWellFormed: boolean;
}

function cellAt(text: string, at: number, cellEnd: RegExp): Cell {
  const isQuoted = text[at] === '"';
  const close = isQuoted ? closingQuote(text, at) : at;
  const inside = isQuoted ? text.slice(at + 1, close).replaceAll('""', '"') : '';
  const behind = isQuoted ? Math.min(close + 1, text.length) : at;
  cellEnd.lastIndex = behind;
  const end = cellEnd.exec(text)?.index ?? text.length;
  const rest = text.slice(behind, end);
  const isWellFormed = isQuoted ? close < text.length && rest.trim() === '' : !rest.includes('"');
  return { text: isWellFormed && isQuoted ? inside : inside + rest, end, lines: linesIn(inside), isWellFormed };
}

/** The end of the text without one. */
function closingQuote(text: string, start: number): number {
  let close = text.indexOf('"', start + 1);
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  return close === -1 ? text.length : close;
}

/** A CRLF is one. */
function linesIn(text: string): number {
  let lines = 0;
  for (let i = 0; i < text.length; i += 1)
    if (text[i] === '\n' || (text[i] === '\r' && text[i + 1] !== '\n')) lines += 1;
  return lines;
}

/**
 * The delimiter, and where the records begin: as a line `sep=;` says, else the delimiter by which the first line names a column
 * of addresses, and most columns.
 */
function layoutOf(text: string): { delimiter: Delimiter; start: number } {
  const first = text.slice(0, MAX_CSV_RECORD);
  const blank = /^[\r\n]*/.exec(first)?.[0].length ?? 0;
  const line = firstRecord(first.slice(blank));
  const separator = SEPARATOR_LINE.exec(line)?.[1] as Delimiter | undefined;
  if (separator !== undefined) {
    const end = blank + line.length;
    return { delimiter: separator, start: end + (text.startsWith('\r\n', end) ? 2 : 1) };
  }
  const scores = DELIMITERS.map((delimiter) => {
    const cells = titlesIn(line, delimiter);
    return { delimiter, score: (csvColumns(cells).includes('email') ? MAX_CSV_RECORD : 0) + cells.length };
  });
  return { delimiter: scores.reduce((best, one) => (one.score > best.score ? one : best)).delimiter, start: 0 };
}

/** Up to the end of the line that is not inside quotes. */
function firstRecord(text: string): string {
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (text[i] === '\r' || text[i] === '\n')) return text.slice(0, i);
  }
  return text;
}

function titlesIn(record: string, delimiter: Delimiter): string[] {
  const cells = [''];
  let isQuoted = false;
  for (const character of record) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) cells.push('');
    else cells[cells.length - 1] += character;
  }
  return cells;
}
