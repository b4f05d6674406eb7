import { existsSync } from 'node:fs';
import { mkdir, readdir, readlink, rename } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';

/** Files that were moved out of a store because they are damaged. They are kept until somebody deletes them. */
export interface SetAside {
  /** Where they are now. */
  folder: string;
  /** Tables, as far as known, and parts (`<table>/<part>`); `store` is the whole store. */
  names: string[];
}

/** Beside the store, so that files are renamed and not copied. Made with the first file. */
export class AsideFolder implements SetAside {
  readonly names: string[] = [];
  readonly folder: string;

  constructor(readonly store: string) {
    this.folder = `${store}.broken-${new Date().toISOString().replace(/[:.]/g, '-')}`;
  }

  /** @param name relative to the folder; `store` moves the whole store */
  async move(from: string, name: string): Promise<void> {
    const to = name === 'store' && this.names.length === 0 ? this.folder : join(this.folder, name);
    await mkdir(dirname(to), { recursive: true });
    await rename(from, to);
    this.names.push(name);
  }
}

/** The ids of the tables of the database whose files exist, by name: from the links that the engine keeps beside them. */
export async function tableIds(store: string, database: string): Promise<Map<string, string>> {
  const folder = join(store, 'data', database);
  const names = await readdir(folder).catch(() => []);
  const ids = new Map<string, string>();
  for (const name of names) {
    const target = await readlink(join(folder, name)).catch(() => '');
    if (/^[\w-]{36}$/.test(basename(target)) && existsSync(join(folder, target))) ids.set(name, basename(target));
  }
  return ids;
}

const dataFolder = (store: string, id: string): string => join(store, 'store', id.slice(0, 3), id);

/**
 * The file or folder that keeps the store from being opened, from the reason that the engine states, and its name among the
 * files that are set aside; null if the reason names none, or one outside of the store.
 */
export async function culpritIn(
  reason: string,
  { store, database }: { store: string; database: string },
): Promise<{ path: string; name: string } | null> {
  const [, file] = /\b(?:in|from|metadata) file ((?:store|metadata)\/[\w./-]+\.sql)/.exec(reason) ?? [];
  if (file !== undefined) {
    const path = join(store, file);
    if (relative(store, path).startsWith('..') || !existsSync(path)) return null;
    return { path, name: basename(file) };
  }
  const [, owner, table] = /(?:load|startup) table (\w{1,100})\.(\w{1,100})/.exec(reason) ?? [];
  const id = owner === database ? (await tableIds(store, database)).get(table) : undefined;
  if (id === undefined) return null;
  return { path: dataFolder(store, id), name: table };
}
