import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { LIMITS, parseTimestamp } from '#libs/contracts';
import { nextTurn } from '#libs/kernel';
import { normaliseAddress } from '#libs/mime';
import { parse, type CsvError } from 'csv-parse';
import type { NewSuppression } from '../new-suppression.js';
import {
  suppressionAddressRule,
  suppressionDomainRule,
  suppressionExpiryRule,
  suppressionReasonRule,
  type SuppressionProblem,
} from '../suppression-rules.js';
import { SUPPRESSION_ORIGINS, type SuppressionOrigin } from '../suppression.entity.js';

/** An entry of a file; `domainId` has the form of an id, whose domain it is has to be looked up. */
export type CsvSuppression = Omit<NewSuppression, 'accountId'> & { line: number; domainId: string | null };

/** What the file holds. With any problem there are no entries: nothing is done by halves. */
export interface ReadCsv {
  entries: CsvSuppression[];
  /** Paths such as `lines[17].email`; lines count from 1. */
  problems: SuppressionProblem[];
}

/** About 10 ms of parsing, then everybody else has a turn. */
const SLICE_BYTES = 16 * 1024;
/** More would help nobody to mend the file. */
const MOST_PROBLEMS = 1_000;
const MOST_RECORD_BYTES = 8_192;
/** What `writeSuppressionCsv` puts before a cell that looks like a formula. */
const ESCAPED_FORMULA = /^'(?=[=+\-@\t\r\uff0b\uff0d\uff1d\uff20])/;

const originRule = (value: unknown): SuppressionProblem[] =>
  (SUPPRESSION_ORIGINS as readonly unknown[]).includes(value)
    ? []
    : [{ path: '', code: 'invalid_value', message: `must be one of ${SUPPRESSION_ORIGINS.join(', ')}` }];

const RULES = {
  email: suppressionAddressRule,
  reason: suppressionReasonRule,
  origin: originRule,
  expires_at: suppressionExpiryRule,
  domain_id: suppressionDomainRule,
} as const;
type Column = keyof typeof RULES;
type Cells = Partial<Record<Column, string>>;

const ofFile = (code: string, message: string): ReadCsv => ({ entries: [], problems: [{ path: '', code, message }] });

/**
 * Reads a CSV file (RFC 4180, UTF-8) whose first line names its columns: `email`, and at will `reason`, `origin`
 * (`manual` if empty), `expires_at` and `domain_id`; other columns are passed over. An empty cell is one that is not
 * there.
 */
export async function readSuppressionCsv(bytes: Buffer): Promise<ReadCsv> {
  if (!isUtf8(bytes) || bytes.includes(0)) return ofFile('invalid_encoding', 'must be UTF-8 without U+0000');
  const result: ReadCsv = { entries: [], problems: [] };
  const { records, broken } = recordsOf(bytes);
  try {
    for await (const { record, info } of records) {
      // Behind a broken quote nobody can say where lines begin.
      if (broken.length > 0 && info.lines > broken[0].line) break;
      if (result.entries.length === LIMITS.importEntries)
        return ofFile('too_many', `must have at most ${LIMITS.importEntries} entries`);
      take(result, record, info.lines);
      if (result.problems.length >= MOST_PROBLEMS) break;
    }
  } catch (error) {
    if (error instanceof HeaderProblem) return ofFile(error.code, error.message);
    throw error;
  }
  result.problems.push(...broken.slice(0, 1).map(({ problem }) => problem));
  if (result.problems.length > 0) return { entries: [], problems: result.problems.slice(0, MOST_PROBLEMS) };
  if (result.entries.length > 0) return result;
  return ofFile('too_few', 'must have a line that names its columns and at least one entry');
}

interface Records {
  records: AsyncIterable<{ record: Cells; info: { lines: number } }>;
  /** Filled while the records are read: where the file is no CSV. */
  broken: { line: number; problem: SuppressionProblem }[];
}

function recordsOf(bytes: Buffer): Records {
  const broken: Records['broken'] = [];
  const parser = parse({
    bom: true,
    columns: columnsOf,
    info: true,
    max_record_size: MOST_RECORD_BYTES,
    relax_column_count: true,
    skip_empty_lines: true,
    // A broken record would take those before it along, and their problems.
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
    await nextTurn();
  }
}

/** The first line is no list of columns that could be read. */
class HeaderProblem extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** False for a column that is passed over. */
function columnsOf(header: string[]): (Column | false)[] {
  const names = header.map((name) => name.replace(ESCAPED_FORMULA, '').trim().toLowerCase());
  const columns = names.map((name) => isColumn(name) && name);
  if (!columns.includes('email'))
    throw new HeaderProblem('missing_column', 'must name its columns in the first line, email among them');
  const twice = columns.find((name, i) => name !== false && columns.indexOf(name) < i);
  if (twice) throw new HeaderProblem('duplicate_column', `must have the column ${twice} once`);
  return columns;
}

const isColumn = (name: string): name is Column => Object.hasOwn(RULES, name);

/** One record becomes an entry, or its problems. */
function take(result: ReadCsv, record: Cells, line: number): void {
  const cells: Cells = {};
  for (const [column, text] of Object.entries(record) as [Column, string][]) {
    const value = text.replace(ESCAPED_FORMULA, '').trim();
    if (value !== '') cells[column] = value;
  }
  const problems = problemsOf(cells, line);
  result.problems.push(...problems);
  if (problems.length > 0) return;
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

function problemsOf(cells: Cells, line: number): SuppressionProblem[] {
  const at = (column: string) => `lines[${line}].${column}`;
  const missing = cells.email === undefined ? [{ path: at('email'), code: 'required', message: 'is required' }] : [];
  const wrong = (Object.entries(cells) as [Column, string][]).flatMap(([column, value]) =>
    RULES[column](value).map(({ code, message }) => ({ path: at(column), code, message })),
  );
  return [...missing, ...wrong];
}

function malformed(code: CsvError['code'] | undefined, line: number): SuppressionProblem {
  const path = `lines[${line}]`;
  return code === 'CSV_MAX_RECORD_SIZE'
    ? { path, code: 'too_long', message: `must have at most ${MOST_RECORD_BYTES} bytes` }
    : { path, code: 'invalid_csv', message: 'must be CSV by RFC 4180: a quote inside a quoted cell is doubled' };
}
