import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** A part among files that are not in use. */
export interface StoredPart {
  table: string;
  /** `<partition>_<first block>_<last block>_<level>[_<mutation>]`, without what the engine puts before it. */
  name: string;
  path: string;
}

const PART_NAME = /(?:^|_)((\w+?)_(\d+)_(\d+)_(\d+)(?:_(\d+))?)(?:_try\d+)?$/;
/** Prefixes of parts that were detached, such as `broken-on-start_`. */
const PREFIX = /^[a-z-]+_(?=\w)/;

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
      const name = PART_NAME.exec(basename(path).replace(PREFIX, ''))?.[1];
      return name !== undefined && tables.has(table) ? [{ table, name, path: join(folder, path) }] : [];
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

function covers(other: StoredPart, part: StoredPart): boolean {
  const [a, b] = [blocksOf(other.name), blocksOf(part.name)];
  if (other.table !== part.table || a.partition !== b.partition || a.first > b.first || a.last < b.last) return false;
  if (a.first < b.first || a.last > b.last) return true;
  if (a.level !== b.level) return a.level > b.level;
  // The same part twice: the first one found.
  return a.mutation > b.mutation || (a.mutation === b.mutation && other.path < part.path);
}

function blocksOf(name: string) {
  const [, , partition, first, last, level, mutation = 0] = PART_NAME.exec(name) ?? [];
  return { partition, first: Number(first), last: Number(last), level: Number(level), mutation: Number(mutation) };
}
