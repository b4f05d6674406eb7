/** The columns that the service reads. */
const COLUMNS = ['email', 'reason', 'origin', 'expires_at', 'domain_id'] as const;
type Column = (typeof COLUMNS)[number];

/** Names under which other services export the same columns. */
const ALIASES: Record<string, Column> = {
  'e-mail': 'email',
  'email address': 'email',
  email_address: 'email',
  address: 'email',
  recipient: 'email',
  note: 'reason',
  comment: 'reason',
};

/** A line of the file that can be sent. */
export interface ImportLine {
  line: number;
  cells: Partial<Record<Column, string>>;
}

export interface RefusedLine {
  line: number;
  email: string;
  problem: string;
}

export interface ImportFile {
  /** Each column of the file and its meaning; null: ignored. Empty for a plain list. */
  columns: { title: string; column: Column | null }[];
  lines: ImportLine[];
  refused: RefusedLine[];
  /** Lines with an address that an earlier line has for the same domain. */
  duplicates: number;
}

/** Lines between two pauses, which keep the page responsive. */
const SLICE = 2_000;
const MAX_ADDRESS = 320;
/** Finds lines that cannot be addresses; the service validates the others. An exported file may have an apostrophe before it. */
const ADDRESS = /^[^\s<>,;@]+@[^\s<>,;@]+$/;

/** Reads a CSV file with commas, semicolons or tabs, or a list with one address per line. */
export async function readImportFile(text: string, pause: () => Promise<void> = nextTask): Promise<ImportFile> {
  const records = recordsOf(text.replace(/^\ufeff/, ''));
  const first = records.next();
  if (first.done) return { columns: [], lines: [], refused: [], duplicates: 0 };
  const titles = first.value.cells.map((cell) => cell.trim());
  const header = titles.some((title) => title.includes('@')) ? null : titles.map(columnOf);
  const file: ImportFile = {
    columns: (header ?? []).map((column, i) => ({ title: titles[i], column })),
    lines: [],
    refused: [],
    duplicates: 0,
  };
  if (header && !header.includes('email')) return file;
  const seen = new Set<string>();
  if (header === null) addLine(file, seen, { ...first.value, header });
  let count = 0;
  for (const record of records) {
    addLine(file, seen, { ...record, header });
    count += 1;
    if (count % SLICE === 0) await pause();
  }
  return file;
}

/** A file is UTF-8, or UTF-16 with a byte order mark, as spreadsheets export it. */
export async function textOf(file: Blob): Promise<string> {
  const bytes = await file.arrayBuffer();
  const [first, second] = new Uint8Array(bytes.slice(0, 2));
  const label =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(label).decode(bytes);
}

const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

function columnOf(title: string, index: number, titles: string[]): Column | null {
  const name = (text: string) => {
    const lower = text.toLowerCase();
    return COLUMNS.find((column) => column === lower) ?? ALIASES[lower] ?? null;
  };
  const column = name(title);
  // The service refuses a column that occurs twice.
  return titles.slice(0, index).some((other) => name(other) === column) ? null : column;
}

interface CsvRecord {
  line: number;
  cells: string[];
}

function addLine(
  file: ImportFile,
  seen: Set<string>,
  { line, cells, header }: CsvRecord & { header: (Column | null)[] | null },
) {
  const read: ImportLine['cells'] = {};
  if (header === null) read.email = (cells.find((cell) => cell.includes('@')) ?? cells[0]).trim();
  else
    header.forEach((column, i) => {
      const cell = cells[i]?.trim();
      if (column !== null && cell) read[column] = cell;
    });
  const email = read.email ?? '';
  const problem = problemOf(email);
  if (problem !== null) {
    file.refused.push({ line, email, problem });
    return;
  }
  const key = `${email.toLowerCase()} ${read.domain_id ?? ''}`;
  if (seen.has(key)) file.duplicates += 1;
  else {
    seen.add(key);
    file.lines.push({ line, cells: read });
  }
}

function problemOf(email: string): string | null {
  if (email === '') return 'has no address';
  if (email.length > MAX_ADDRESS) return `must have at most ${MAX_ADDRESS} characters`;
  // Quoted local parts may have spaces; the service validates them.
  return email.includes('"') || ADDRESS.test(email) ? null : 'must be an address such as user@example.com';
}

const CELL_ENDS = { ',': /[,\r\n]/g, ';': /[;\r\n]/g, '\t': /[\t\r\n]/g } as const;
type Delimiter = keyof typeof CELL_ENDS;
/** Names the delimiter for a spreadsheet, before the names of the columns. */
const SEPARATOR_LINE = /^[\r\n]*sep=([,;\t])(?:\r\n|\r|\n)/i;

/** The records of RFC 4180 with the line on which each begins; blank lines are left out. */
function* recordsOf(text: string): Generator<CsvRecord> {
  const { delimiter, start: first } = layoutOf(text);
  const end = CELL_ENDS[delimiter];
  let at = first;
  let line = newlinesIn(text.slice(0, first)) + 1;
  while (at < text.length) {
    const start = line;
    const cells: string[] = [];
    for (;;) {
      let cell = '';
      if (text[at] === '"') {
        const quoted = quotedCell(text, at);
        cell = quoted.cell;
        line += newlinesIn(cell);
        at = quoted.end;
      }
      end.lastIndex = at;
      const stop = end.exec(text)?.index ?? text.length;
      cells.push(cell + text.slice(at, stop));
      at = stop;
      if (text[at] !== delimiter) break;
      at += 1;
    }
    at += text.startsWith('\r\n', at) ? 2 : 1;
    line += 1;
    if (cells.length > 1 || cells[0].trim() !== '') yield { line: start, cells };
  }
}

function quotedCell(text: string, start: number): { cell: string; end: number } {
  let close = text.indexOf('"', start + 1);
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  const stop = close === -1 ? text.length : close;
  return { cell: text.slice(start + 1, stop).replaceAll('""', '"'), end: close === -1 ? stop : stop + 1 };
}

const newlinesIn = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0;

/** The delimiter, and where the records begin. */
function layoutOf(text: string): { delimiter: Delimiter; start: number } {
  const [line = '', separator] = SEPARATOR_LINE.exec(text) ?? [];
  return { delimiter: (separator as Delimiter | undefined) ?? delimiterOf(text), start: line.length };
}

/** The delimiter by which the first line names a column of addresses, and most columns. Text in quotes does not count. */
function delimiterOf(text: string): Delimiter {
  const [first = ''] = text.trimStart().split(/[\r\n]/, 1);
  const scores = ([',', ';', '\t'] as const).map((one) => {
    const cells = first.replaceAll(/"[^"]*"/g, (quote) => quote.replaceAll(one, ' ')).split(one);
    const isNamed = cells.some((cell, i) => columnOf(cell.replaceAll('"', '').trim(), i, []) === 'email');
    return { one, score: (isNamed ? text.length : 0) + cells.length };
  });
  return scores.reduce((best, next) => (next.score > best.score ? next : best)).one;
}

/** A file for `POST /suppressions/import`. Line n of the list is line n + 2 of the file, because each cell is on one line. */
export function batchFile(lines: readonly ImportLine[]): Blob {
  const rows = lines.map(({ cells }) => COLUMNS.map((column) => quoted(oneLine(cells[column] ?? ''))).join(','));
  return new Blob([[COLUMNS.join(','), ...rows, ''].join('\r\n')], { type: 'text/csv' });
}

const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ');

const quoted = (cell: string): string => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** The refused lines, to be corrected and imported again. Formulas are escaped. */
export function refusedFile(refused: readonly RefusedLine[]): string {
  const cell = (text: string) => quoted(oneLine(/^[=+\-@]/.test(text) ? `'${text}` : text));
  const rows = refused.map(({ line, email, problem }) => [cell(email), String(line), cell(problem)].join(','));
  return ['email,line,problem', ...rows, ''].join('\r\n');
}
