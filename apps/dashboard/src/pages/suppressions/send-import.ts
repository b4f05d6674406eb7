import { ApiError, call } from '../../api/http.ts';
import { batchFile, type ImportLine, type RefusedLine } from './import-file.ts';

export interface ImportProgress {
  done: number;
  created: number;
  existing: number;
  refused: RefusedLine[];
}

/** Below the number of problems that the service reports at once. */
const BATCH = 1_000;

type Send = (file: Blob) => Promise<{ created: number; existing: number }>;
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

/** A batch with invalid lines stores nothing, so it is sent again without them. */
async function sendBatch(lines: readonly ImportLine[], progress: ImportProgress, sendFile: Send): Promise<void> {
  let left = lines;
  while (left.length > 0) {
    try {
      const { created, existing } = await sendFile(batchFile(left));
      progress.created += created;
      progress.existing += existing;
      return;
    } catch (error) {
      const problems = problemsByIndex(error);
      if (problems.size === 0) throw error;
      progress.refused.push(
        ...[...problems].flatMap(([i, problem]) => {
          const refused = left[i];
          return refused ? [{ line: refused.line, email: refused.cells.email ?? '', problem }] : [];
        }),
      );
      const kept = left.filter((_, i) => !problems.has(i));
      if (kept.length === left.length) throw error;
      left = kept;
    }
  }
}

/** The problems of the refused lines, by their position in the batch: `lines[2].email` is the first one. */
function problemsByIndex(error: unknown): Map<number, string> {
  const details = error instanceof ApiError ? error.details : [];
  const found = new Map<number, string>();
  for (const { field = '', message = 'is refused' } of details) {
    const [, line, column] = /^lines\[(\d+)\]\.?(\w*)$/.exec(field) ?? [];
    if (line === undefined) continue;
    const index = Number(line) - 2;
    const earlier = found.get(index);
    const problem = `${column} ${message}`.trim();
    found.set(index, earlier === undefined ? problem : `${earlier}; ${problem}`);
  }
  return found;
}
