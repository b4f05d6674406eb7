import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { UNFINISHED, writeAll, writeDurably } from './durable-files.js';
import { ObjectMissing, type Appender, type ObjectStore, type StoredObject } from './object-store.js';

/** Files below a folder, which is created by the first one. */
export class FolderStore implements ObjectStore {
  constructor(readonly place: string) {}

  async put(name: string, body: Buffer): Promise<void> {
    const path = join(this.place, name);
    // Left behind by a process that ended while it wrote.
    await rm(`${path}${UNFINISHED}`, { force: true });
    await writeDurably(path, [body]).catch(async (error: Error) => {
      await rm(`${path}${UNFINISHED}`, { force: true });
      throw error;
    });
  }

  async get(name: string): Promise<Buffer> {
    return readFile(join(this.place, name)).catch((error: NodeJS.ErrnoException) => {
      throw isMissing(error) ? new ObjectMissing(`${name} is missing`, { cause: error }) : error;
    });
  }

  async list(start: string): Promise<StoredObject[]> {
    const folder = join(this.place, start);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(nothing);
    const found: StoredObject[] = [];
    for (const entry of entries) {
      if (!entry.isFile() || entry.name.endsWith(UNFINISHED)) continue;
      const path = join(entry.parentPath, entry.name);
      const { size, mtime } = await stat(path);
      found.push({ name: relative(this.place, path).split(sep).join('/'), bytes: size, modifiedAt: mtime });
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async folders(): Promise<string[]> {
    const entries = await readdir(this.place, { withFileTypes: true }).catch(nothing);
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  }

  async delete(start: string): Promise<void> {
    await rm(join(this.place, start), { recursive: true, force: true });
  }

  async appender(name: string): Promise<Appender> {
    const path = join(this.place, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(path, 'ax', 0o600);
    let size = 0;
    return {
      append: async (bytes) => {
        await writeAll(handle, [bytes], size);
        await handle.datasync();
        size += bytes.length;
      },
      close: () => handle.close(),
    };
  }

  close(): void {
    // Nothing is kept open.
  }
}

const isMissing = ({ code }: NodeJS.ErrnoException): boolean => code === 'ENOENT';

function nothing(error: NodeJS.ErrnoException): never[] {
  if (isMissing(error)) return [];
  throw error;
}
