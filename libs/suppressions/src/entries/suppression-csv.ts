import { isUtf8 } from 'node:buffer';
import { LIMITS, parseTimestamp, type RuleProblem } from '#libs/contracts';
import { yielding } from '#libs/kernel';
import { normaliseAddress } from '#libs/mime';
import { stringify } from 'csv-stringify/sync';
import { CSV_COLUMNS, csvColumns, csvRecords, MAX_CSV_RECORD, type CsvColumn, type CsvRecord } from './csv-file.js';
import type { NewSuppression } from './store.js';
import { suppression, type SuppressionOrigin, type SuppressionView } from '../suppression.resource.js';

/** An entry of a file. `domainId` has the form of an id; the caller checks that it is a domain of the account. */
export type CsvSuppression = Omit<NewSuppression, 'accountId'> & { line: number; domainId: string | null };

/** The content of a file. There are no entries if it is not CSV: then it is unknown where a line begins. */
export interface ReadCsv {
  entries: CsvSuppression[];
  /** Of the other lines, at most a thousand. Paths such as `lines[17].email`; lines count from 1. */
  problems: RuleProblem[];
  /** The number of lines with problems, if there are any. */
  refused?: number;
}

/** Characters that are read between two yields to the event loop; about 10 ms. */
const SLICE = 16 * 1024;
/** Reported at once. */
const MAX_PROBLEMS = 1_000;
/**
 * Before what spreadsheets take for a formula, in the wide forms too, wherever they may begin a cell: at the start, and after
 * each delimiter that an import dialogue offers, whatever the delimiter of the file is. A quotation mark counts as one,
 * because the text inside it becomes the cell. Apostrophes before a formula are part of the text.
 */
const UNESCAPED = /(?<=^|[\s,;|:"])(?='*[=+\-@\t\r\uff0b\uff0d\uff1d\uff20])/g;
/** The apostrophe that `escapeFormulas` writes there. */
const ESCAPED = /(?<=^|[\s,;|:"])'(?='*[=+\-@\t\r\uff0b\uff0d\uff1d\uff20])/g;

/** A cell in which an apostrophe precedes every formula, in the reading of every delimiter. */
const escapeFormulas = (text: string): string => text.replace(UNESCAPED, "'");
/** The inverse of `escapeFormulas`. */
const unescapeFormulas = (text: string): string => text.replace(ESCAPED, '');

const ORIGINS = suppression.fields.origin.words;
const originRule = (value: unknown): RuleProblem[] =>
  (ORIGINS as readonly unknown[]).includes(value)
    ? []
    : [{ path: '', code: 'invalid_value', message: `must be one of ${ORIGINS.join(', ')}` }];

const RULES = {
  email: suppression.ruleOf('email'),
  reason: suppression.ruleOf('reason'),
  origin: originRule,
  expires_at: suppression.ruleOf('expires_at'),
  domain_id: suppression.ruleOf('domain_id'),
} as const satisfies Record<CsvColumn, unknown>;
type Cells = Partial<Record<CsvColumn, string>>;

const fileProblem = (code: string, message: string): ReadCsv => ({
  entries: [],
  problems: [{ path: '', code, message }],
});

/** The file is UTF-8, or UTF-16 with a byte order mark. Null for other encodings, and for U+0000. */
function textOf(bytes: Buffer): string | null {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
  const label = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : null;
  const text = label === null ? bytes.toString() : fromUtf16(bytes, label);
  return text === null || (label === null && !isUtf8(bytes)) || text.includes('\0') ? null : text;
}

function fromUtf16(bytes: Buffer, label: string): string | null {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * Reads a CSV file (RFC 4180) in UTF-8, or in UTF-16 with a byte order mark, separated by commas, semicolons or tabs. Its first line
 * names its columns: `email`, and optionally `reason`, `origin` (`manual` if empty), `expires_at` and `domain_id`; other columns are
 * ignored. An empty cell counts as absent.
 */
export async function readSuppressionCsv(bytes: Buffer): Promise<ReadCsv> {
  const text = textOf(bytes);
  if (text === null)
    return fileProblem('invalid_encoding', 'must be UTF-8, or UTF-16 with a byte order mark, without U+0000');
  const result: ReadCsv = { entries: [], problems: [] };
  let columns: (CsvColumn | null)[] | null = null;
  let sliceEnd = SLICE;
  for (const { line, cells, end, problem } of csvRecords(text.replace(/^\ufeff/, ''))) {
    // After an unbalanced quote, the start of lines is unknown.
    if (problem !== null)
      return { ...result, entries: [], problems: [...result.problems, malformed(problem, line)].slice(-MAX_PROBLEMS) };
    if (columns === null) {
      const titles = cells.map(unescapeFormulas);
      const wrong = problemOfTitles(titles);
      if (wrong !== null) return wrong;
      columns = csvColumns(titles);
      continue;
    }
    if (linesOf(result) === LIMITS.importEntries)
      return fileProblem('too_many', `must have at most ${LIMITS.importEntries} entries`);
    addRecord(result, cellsOf(columns, cells), line);
    if (end > sliceEnd) {
      sliceEnd = end + SLICE;
      await yielding.pause();
    }
  }
  if (linesOf(result) > 0) return result;
  return fileProblem('too_few', 'must have a line that names its columns and at least one entry');
}

function problemOfTitles(titles: readonly string[]): ReadCsv | null {
  if (!csvColumns(titles).includes('email'))
    return fileProblem(
      'missing_column',
      'must name its columns in the first line, email among them, separated by commas, semicolons or tabs',
    );
  const names = titles.map((title) => title.trim().toLowerCase());
  const repeated = CSV_COLUMNS.find((column) => names.indexOf(column) !== names.lastIndexOf(column));
  return repeated === undefined ? null : fileProblem('duplicate_column', `must have the column ${repeated} once`);
}

function cellsOf(columns: readonly (CsvColumn | null)[], texts: readonly string[]): Cells {
  const cells: Cells = {};
  for (const [i, column] of columns.entries()) {
    const value = column === null ? '' : unescapeFormulas(texts[i] ?? '').trim();
    if (column !== null && value !== '') cells[column] = value;
  }
  return cells;
}

const linesOf = ({ entries, refused = 0 }: ReadCsv): number => entries.length + refused;

/** Adds the entry of a record, or its problems. */
function addRecord(result: ReadCsv, cells: Cells, line: number): void {
  const problems = problemsOf(cells, line);
  if (problems.length > 0) {
    result.refused = (result.refused ?? 0) + 1;
    result.problems.push(...problems.slice(0, MAX_PROBLEMS - result.problems.length));
    return;
  }
  const { email = '', reason = null, origin = 'manual', expires_at: expires, domain_id: domainId = null } = cells;
  result.entries.push({
    line,
    address: normaliseAddress(email),
    origin: origin as SuppressionOrigin,
    reason,
    sourceId: null,
    expiresAt: expires === undefined ? null : parseTimestamp(expires),
    domainId,
  });
}

function problemsOf(cells: Cells, line: number): RuleProblem[] {
  const at = (column: string) => `lines[${line}].${column}`;
  const missing = cells.email === undefined ? [{ path: at('email'), code: 'required', message: 'is required' }] : [];
  const wrong = (Object.entries(cells) as [CsvColumn, string][]).flatMap(([column, value]) =>
    RULES[column](value).map(({ code, message }) => ({ path: at(column), code, message })),
  );
  return [...missing, ...wrong];
}

function malformed(problem: NonNullable<CsvRecord['problem']>, line: number): RuleProblem {
  const path = `lines[${line}]`;
  return problem === 'too_long'
    ? { path, code: 'too_long', message: `must have at most ${MAX_CSV_RECORD} characters` }
    : { path, code: 'invalid_csv', message: 'must be CSV by RFC 4180: a quote inside a quoted cell is doubled' };
}

/** The columns that `readSuppressionCsv` reads come first. */
const WRITTEN_COLUMNS = [...CSV_COLUMNS, 'id', 'source_id', 'created_at'] as const;

/**
 * The entries as a CSV file (RFC 4180), page by page. Text that a spreadsheet would interpret as a formula has an apostrophe
 * before it, which the import removes. That includes text that becomes a cell of its own only where the file is opened with
 * another delimiter.
 */
export async function* writeSuppressionCsv(pages: AsyncIterable<SuppressionView[]>): AsyncGenerator<string> {
  const options = {
    columns: [...WRITTEN_COLUMNS],
    cast: { string: escapeFormulas },
    record_delimiter: '\r\n' as const,
  };
  yield stringify([], { ...options, header: true });
  for await (const page of pages) yield stringify(page, options);
}

export const suppressionCsv = { read: readSuppressionCsv, write: writeSuppressionCsv };
