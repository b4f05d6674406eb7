import {
  CSV_COLUMNS,
  csvColumns,
  csvRecords,
  MAX_CSV_RECORD,
  type CsvColumn,
  type CsvRecord,
} from '../../generated/csv-file.ts';

/** A line of the file that can be sent. */
export interface ImportLine {
  line: number;
  cells: Partial<Record<CsvColumn, string>>;
}

export interface RefusedLine {
  line: number;
  email: string;
  problem: string;
}

export interface ImportFile {
  /** Each column of the file and its meaning; null: ignored. Empty for a plain list. */
  columns: { title: string; column: CsvColumn | null }[];
  lines: ImportLine[];
  refused: RefusedLine[];
  /** Lines with an address that an earlier line has for the same domain. */
  duplicates: number;
}

/** Lines between two pauses, which keep the page responsive. */
const SLICE = 2_000;
const MAX_ADDRESS = 320;
const BROKEN = {
  quote: 'has a quotation mark that is not doubled or not closed',
  too_long: `must have at most ${MAX_CSV_RECORD} characters`,
};
/** Finds lines that cannot be addresses; the service validates the others. An exported file may have an apostrophe before it. */
const ADDRESS = /^[^\s<>,;@]+@[^\s<>,;@]+$/;

interface ReadOptions {
  /** The meaning of each column, in place of what its title says. */
  columns?: readonly (CsvColumn | null)[];
  pause?: () => Promise<void>;
}

/** Reads a CSV file with commas, semicolons or tabs, or a list with one address per line. */
export async function readImportFile(
  text: string,
  { columns, pause = nextTask }: ReadOptions = {},
): Promise<ImportFile> {
  const file: ImportFile = { columns: [], lines: [], refused: [], duplicates: 0 };
  const seen = new Set<string>();
  let header: readonly (CsvColumn | null)[] | null = null;
  let count = 0;
  for (const record of csvRecords(text.replace(/^\ufeff/, ''))) {
    count += 1;
    if (count === 1 && !record.cells.some((cell) => cell.includes('@'))) {
      const titles = record.cells.map((cell) => cell.trim());
      header = columns ?? csvColumns(titles);
      file.columns = titles.map((title, i) => ({ title, column: header?.[i] ?? null }));
      if (!header.includes('email')) return file;
    } else addLine(file, seen, { ...record, header });
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

function addLine(
  file: ImportFile,
  seen: Set<string>,
  { line, cells, problem: broken, header }: CsvRecord & { header: readonly (CsvColumn | null)[] | null },
) {
  const read: ImportLine['cells'] = {};
  if (header === null) read.email = (cells.find((cell) => cell.includes('@')) ?? cells[0]).trim();
  else
    header.forEach((column, i) => {
      const cell = cells[i]?.trim();
      if (column !== null && cell) read[column] = cell;
    });
  const email = read.email ?? '';
  const problem = broken === null ? problemOf(email) : BROKEN[broken];
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

/** A file for `POST /suppressions/import`. Line n of the list is line n + 2 of the file, because each cell is on one line. */
export function batchFile(lines: readonly ImportLine[]): Blob {
  const rows = lines.map(({ cells }) => CSV_COLUMNS.map((column) => quoted(oneLine(cells[column] ?? ''))).join(','));
  return new Blob([[CSV_COLUMNS.join(','), ...rows, ''].join('\r\n')], { type: 'text/csv' });
}

const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ');

const quoted = (cell: string): string => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** The refused lines, to be corrected and imported again. Formulas are escaped. */
export function refusedFile(refused: readonly RefusedLine[]): string {
  const cell = (text: string) => quoted(oneLine(/^[=+\-@]/.test(text) ? `'${text}` : text));
  const rows = refused.map(({ line, email, problem }) => [cell(email), String(line), cell(problem)].join(','));
  return ['email,line,problem', ...rows, ''].join('\r\n');
}
