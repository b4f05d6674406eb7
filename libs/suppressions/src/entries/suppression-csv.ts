import { Readable } from 'node:stream';
import { LIMITS, parseTimestamp, type RuleProblem } from '#libs/contracts';
import { yieldToLoop } from '#libs/kernel';
import { normaliseAddress } from '#libs/mime';
import { parse, type CsvError } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { layoutOf, toUtf8, type CsvLayout } from './csv-layout.js';
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

/** Parsed between two yields to the event loop; about 10 ms. */
const SLICE_BYTES = 16 * 1024;
/** Reported at once. */
const MAX_PROBLEMS = 1_000;
const MAX_RECORD_BYTES = 8_192;
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
} as const;
type Column = keyof typeof RULES;
type Cells = Partial<Record<Column, string>>;

/** Names under which other services export the same columns; the page that imports a file knows them too. */
const ALIASES: Readonly<Record<string, Column>> = {
  'e-mail': 'email',
  'email address': 'email',
  email_address: 'email',
  address: 'email',
  recipient: 'email',
  note: 'reason',
  comment: 'reason',
};

const fileProblem = (code: string, message: string): ReadCsv => ({
  entries: [],
  problems: [{ path: '', code, message }],
});

/**
 * Reads a CSV file (RFC 4180) in UTF-8, or in UTF-16 with a byte order mark, separated by commas, semicolons or tabs. Its first line
 * names its columns: `email`, and optionally `reason`, `origin` (`manual` if empty), `expires_at` and `domain_id`; other columns are
 * ignored. An empty cell counts as absent.
 */
export async function readSuppressionCsv(bytes: Buffer): Promise<ReadCsv> {
  const text = toUtf8(bytes);
  if (text === null)
    return fileProblem('invalid_encoding', 'must be UTF-8, or UTF-16 with a byte order mark, without U+0000');
  const result: ReadCsv = { entries: [], problems: [] };
  const { records, broken } = recordsOf(text, layoutOf(text, isAddressColumn));
  try {
    for await (const { record, info } of records) {
      // After an unbalanced quote, the start of lines is unknown.
      if (broken.length > 0 && info.lines > broken[0].line) break;
      if (linesOf(result) === LIMITS.importEntries)
        return fileProblem('too_many', `must have at most ${LIMITS.importEntries} entries`);
      addRecord(result, record, info.lines);
    }
  } catch (error) {
    if (error instanceof HeaderProblem) return fileProblem(error.code, error.message);
    throw error;
  }
  if (broken.length > 0)
    return { ...result, entries: [], problems: [...result.problems, broken[0].problem].slice(-MAX_PROBLEMS) };
  if (linesOf(result) > 0) return result;
  return fileProblem('too_few', 'must have a line that names its columns and at least one entry');
}

const linesOf = ({ entries, refused = 0 }: ReadCsv): number => entries.length + refused;

interface Records {
  records: AsyncIterable<{ record: Cells; info: { lines: number } }>;
  /** Positions where the file is not CSV; filled while the records are read. */
  broken: { line: number; problem: RuleProblem }[];
}

function recordsOf(bytes: Buffer, { delimiter, firstLine }: CsvLayout): Records {
  const broken: Records['broken'] = [];
  const parser = parse({
    bom: true,
    columns: columnsOf,
    delimiter,
    from_line: firstLine,
    info: true,
    max_record_size: MAX_RECORD_BYTES,
    relax_column_count: true,
    skip_empty_lines: true,
    // An error would also discard the records before it and their problems.
    skip_records_with_error: true,
    on_skip: (error) => {
      const line = Number(error?.['lines'] ?? 1);
      broken.push({ line, problem: malformed(error?.code, line) });
      return undefined;
    },
  });
  Readable.from(slicesOf(bytes), { objectMode: false })
    .on('error', (error) => parser.destroy(error))
    .pipe(parser);
  return { records: parser as Records['records'], broken };
}

async function* slicesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    yield bytes.subarray(at, at + SLICE_BYTES);
    await yieldToLoop();
  }
}

/** A problem of the first line. */
class HeaderProblem extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** False for a column that is ignored: unknown ones, and those with another name beside the one of the service. */
function columnsOf(header: string[]): (Column | false)[] {
  const names = header.map(nameOf);
  const columns = names.map((name) => (isColumn(name) ? name : columnByAlias(name, names)));
  if (!columns.includes('email'))
    throw new HeaderProblem(
      'missing_column',
      'must name its columns in the first line, email among them, separated by commas, semicolons or tabs',
    );
  const duplicate = names.find((name, i) => isColumn(name) && names.indexOf(name) < i);
  if (duplicate !== undefined) throw new HeaderProblem('duplicate_column', `must have the column ${duplicate} once`);
  return columns.map((name, i) => columns.indexOf(name) === i && name);
}

function columnByAlias(name: string, names: readonly string[]): Column | false {
  const column = Object.hasOwn(ALIASES, name) && ALIASES[name];
  return column !== false && !names.includes(column) && column;
}

const nameOf = (cell: string): string => unescapeFormulas(cell).trim().toLowerCase();
const isAddressColumn = (cell: string): boolean => {
  const name = nameOf(cell);
  return name === 'email' || columnByAlias(name, [name]) === 'email';
};
const isColumn = (name: string): name is Column => Object.hasOwn(RULES, name);

/** Adds the entry of a record, or its problems. */
function addRecord(result: ReadCsv, record: Cells, line: number): void {
  const cells: Cells = {};
  for (const [column, text] of Object.entries(record) as [Column, string][]) {
    const value = unescapeFormulas(text).trim();
    if (value !== '') cells[column] = value;
  }
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
  const wrong = (Object.entries(cells) as [Column, string][]).flatMap(([column, value]) =>
    RULES[column](value).map(({ code, message }) => ({ path: at(column), code, message })),
  );
  return [...missing, ...wrong];
}

function malformed(code: CsvError['code'] | undefined, line: number): RuleProblem {
  const path = `lines[${line}]`;
  return code === 'CSV_MAX_RECORD_SIZE'
    ? { path, code: 'too_long', message: `must have at most ${MAX_RECORD_BYTES} bytes` }
    : { path, code: 'invalid_csv', message: 'must be CSV by RFC 4180: a quote inside a quoted cell is doubled' };
}

/** The columns that `readSuppressionCsv` reads come first. */
const WRITTEN_COLUMNS = [
  'email',
  'reason',
  'origin',
  'expires_at',
  'domain_id',
  'id',
  'source_id',
  'created_at',
] as const;

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
