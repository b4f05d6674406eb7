import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** A part among files that are not in use. */
export interface StoredPart {
  table: string;
  /** `<partition>_<first block>_<last block>_<level>[_<mutation>]`, without what the engine puts before it. */
  name: string;
  path: string;
}

/** What the engine puts before and after the name of a part that was detached: `broken-on-start_`, `_try1`. */
const MARKS = /^[a-z-]{1,40}_|_try\d{1,3}$/g;
const NUMBER = /^\d{1,20}$/;

interface Blocks {
  partition: string;
  first: number;
  last: number;
  level: number;
  mutation: number;
}

/**
 * The parts of these tables below a folder: a store, or files that were set aside from one. Parts that others were merged from
 * are left out.
 */
export async function findParts(folder: string, tables: ReadonlySet<string>): Promise<StoredPart[]> {
  const files = await readdir(folder, { recursive: true });
  const ids = await idsOfTables(folder, files);
  const parts = files
    .filter((file) => basename(file) === 'columns.txt')
    .flatMap((file): StoredPart[] => {
      const path = dirname(file);
      const owner = basename(dirname(path)) === 'detached' ? dirname(dirname(path)) : dirname(path);
      const table = ids.get(basename(owner)) ?? basename(owner);
      const name = partName(basename(path));
      return name !== null && tables.has(table) ? [{ table, name, path: join(folder, path) }] : [];
    });
  return parts.filter((part) => !parts.some((other) => other !== part && covers(other, part)));
}

/** The names of tables by the ids in their definitions and in the links of the store. */
async function idsOfTables(folder: string, files: readonly string[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const file of files.filter((name) => /(^|\/)\w+\.sql$/.test(name))) {
    const text = await readFile(join(folder, file), 'utf8').catch(() => '');
    const id = /^ATTACH TABLE _ UUID '([\w-]{36})'/.exec(text)?.[1];
    if (id !== undefined) ids.set(id, basename(file, '.sql'));
  }
  return ids;
}

function partName(name: string): string | null {
  const bare = name.replace(MARKS, '');
  return blocksOf(bare) === null ? null : bare;
}

function covers(other: StoredPart, part: StoredPart): boolean {
  const [a, b] = [blocksOf(other.name), blocksOf(part.name)];
  if (a === null || b === null || other.table !== part.table) return false;
  if (a.partition !== b.partition || a.first > b.first || a.last < b.last) return false;
  if (a.first < b.first || a.last > b.last) return true;
  if (a.level !== b.level) return a.level > b.level;
  // The same part twice: the first one found.
  return a.mutation > b.mutation || (a.mutation === b.mutation && other.path < part.path);
}

function blocksOf(name: string): Blocks | null {
  const [partition, ...numbers] = name.split('_');
  if (numbers.length < 3 || numbers.length > 4 || !numbers.every((text) => NUMBER.test(text))) return null;
  const [first, last, level, mutation = 0] = numbers.map(Number);
  return { partition, first, last, level, mutation };
}
