import type { ObjectStore } from '#libs/storage';
import { generations, readManifest } from './manifest.js';

/** A backup may take so long; what is older and has no manifest was interrupted. */
const UNFINISHED_MS = 24 * 3_600_000;
/** Of the clocks of machines that write to one place. */
const CLOCK_MARGIN_MS = 3_600_000;

/**
 * Deletes complete backups but the newest `keep`, backups that were interrupted, and files of the journal that end before
 * the oldest backup that is kept began. Returns the names of the generations that were deleted.
 */
export async function pruneGenerations(
  store: ObjectStore,
  { keep, journal, now = Date.now() }: { keep: number; journal: ObjectStore | null; now?: number },
): Promise<string[]> {
  const deleted: string[] = [];
  const complete: { name: string; startedAt: number }[] = [];
  for (const name of await generations(store)) {
    const manifest = await readManifest(store, `${name}/`);
    const startedAt = manifest === null ? timeOf(name) : Date.parse(manifest.started_at);
    if (manifest !== null) complete.push({ name, startedAt });
    else if (startedAt < now - UNFINISHED_MS) deleted.push(name);
  }
  const kept = complete.slice(-keep);
  deleted.push(...complete.slice(0, -keep).map(({ name }) => name));
  for (const name of deleted) await store.delete(`${name}/`);
  const [oldest] = kept;
  if (journal === null || oldest === undefined) return deleted;
  for (const { name, modifiedAt } of await journal.list(''))
    if (/^(log|attempts)\//.test(name) && modifiedAt.getTime() < oldest.startedAt - CLOCK_MARGIN_MS)
      await journal.delete(name);
  return deleted;
}

/** The time in the name of a generation. */
const timeOf = (name: string): number =>
  Date.parse(name.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
