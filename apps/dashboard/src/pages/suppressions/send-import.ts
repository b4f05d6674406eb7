import { ApiError, call } from '../../api/http.ts';
import { LIMITS } from '../../generated/constants.ts';
import { batchFile, type ImportLine, type RefusedLine } from './import-file.ts';

export interface ImportProgress {
  done: number;
  created: number;
  existing: number;
  refused: RefusedLine[];
}

/** Below the number of problems that the service reports at once. */
const BATCH = 1_000;

interface Problem {
  line: number;
  field: string;
  message: string;
}
type Send = (file: Blob) => Promise<{ created: number; existing: number; errors?: Problem[] }>;
const send: Send = (file) => call('POST', '/suppressions/import', file);

/**
 * Sends the lines in batches, without those that the service refuses. Stops between two batches once it is canceled.
 * @throws ApiError for a refusal of something else than single lines
 */
export async function sendImport(
  lines: readonly ImportLine[],
  options: { onProgress: (progress: ImportProgress) => void; isCanceled: () => boolean; send?: Send },
): Promise<ImportProgress> {
  const progress: ImportProgress = { done: 0, created: 0, existing: 0, refused: [] };
  for (let at = 0; at < lines.length && !options.isCanceled(); at += BATCH) {
    await sendBatch(lines.slice(at, at + BATCH), progress, options.send ?? send);
    progress.done = Math.min(at + BATCH, lines.length);
    options.onProgress({ ...progress, refused: [...progress.refused] });
  }
  return progress;
}

/** The service imports the valid lines. It refuses a batch without any, and a version before this page one with an invalid line. */
async function sendBatch(lines: readonly ImportLine[], progress: ImportProgress, sendFile: Send): Promise<void> {
  let left = lines;
  while (left.length > 0) {
    try {
      const { created, existing, errors = [] } = await sendFile(batchFile(left));
      progress.created += created;
      progress.existing += existing;
      progress.refused.push(...refusedOf(left, byIndex(errors)));
      return;
    } catch (error) {
      const problems = byIndex(problemsOf(error));
      if (problems.size === 0) throw error;
      progress.refused.push(...refusedOf(left, problems));
      const kept = left.filter((_, i) => !problems.has(i));
      if (kept.length === left.length) throw error;
      left = kept;
    }
  }
}

interface RemovedEntry {
  email: string;
  origin: string;
  reason: string | null;
  expiresAt: string | null;
  domainId: string | null;
}

/** Adds a removed entry again, with its origin, which only an import can give. */
export async function putBack({ email, origin, reason, expiresAt, domainId }: RemovedEntry): Promise<void> {
  const cells = {
    email,
    origin,
    reason: (reason ?? '').slice(0, LIMITS.suppressionReasonLength),
    expires_at: expiresAt ?? '',
    domain_id: domainId ?? '',
  };
  await send(batchFile([{ line: 2, cells }]));
}

const refusedOf = (lines: readonly ImportLine[], problems: ReadonlyMap<number, string>): RefusedLine[] =>
  [...problems].flatMap(([i, problem]) => {
    const refused = lines[i];
    return refused ? [{ line: refused.line, email: refused.cells.email ?? '', problem }] : [];
  });

/** The problems of the refused lines, by their position in the batch: line 2 is the first one. */
function byIndex(problems: readonly Problem[]): Map<number, string> {
  const found = new Map<number, string>();
  for (const { line, field, message } of problems) {
    const earlier = found.get(line - 2);
    const problem = `${field} ${message}`.trim();
    found.set(line - 2, earlier === undefined ? problem : `${earlier}; ${problem}`);
  }
  return found;
}

function problemsOf(error: unknown): Problem[] {
  const details = error instanceof ApiError ? error.details : [];
  return details.flatMap(({ field = '', message = 'is refused' }) => {
    const [, line, column] = /^lines\[(\d+)\]\.?(\w*)$/.exec(field) ?? [];
    return line === undefined ? [] : [{ line: Number(line), field: column ?? '', message }];
  });
}
