import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const compress = promisify(gzip);
const expand = promisify(gunzip);
/** Uncompressed bytes of an archive, exceeded by at most one file. */
const ARCHIVE_BYTES = 16 * 1024 * 1024;
const ATTEMPTS = 10;
/** Parts that are being written, or deleted. */
const TEMPORARY = /(^|\/)(tmp|delete_tmp)_/;
/** The length of the description of a file. */
const LENGTH_BYTES = 4;

/**
 * Files of the embedded statistics store as of one moment, while it is in use: parts are never changed once they have their
 * name, and those that others were merged from stay for minutes. The files are linked, so that they stay until `release`.
 */
export class StatisticsCopy {
  private constructor(
    private readonly folder: string,
    readonly files: readonly string[],
  ) {}

  /** @param staging a folder on the same file system, which is emptied */
  static async of(store: string, staging: string): Promise<StatisticsCopy> {
    for (let attempt = 1; ; attempt++) {
      await rm(staging, { recursive: true, force: true });
      try {
        return new StatisticsCopy(staging, await linkFiles(join(store, 'store'), staging));
      } catch (error) {
        // A part was merged away between the list and the link.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** Archives with the files. */
  async *archives(): AsyncGenerator<Buffer> {
    let parts: Buffer[] = [];
    let bytes = 0;
    for (const name of this.files) {
      const body = await readFile(join(this.folder, name));
      const description = Buffer.from(JSON.stringify({ name, bytes: body.length }));
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt32BE(description.length);
      parts.push(length, description, body);
      bytes += body.length;
      if (bytes < ARCHIVE_BYTES) continue;
      yield await compress(Buffer.concat(parts), { level: 1 });
      [parts, bytes] = [[], 0];
    }
    if (parts.length > 0) yield await compress(Buffer.concat(parts), { level: 1 });
  }

  async release(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function linkFiles(from: string, to: string): Promise<string[]> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  const files: string[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(from.length + 1);
    if (!entry.isFile() || TEMPORARY.test(name)) continue;
    await mkdir(dirname(join(to, name)), { recursive: true, mode: 0o700 });
    await link(path, join(to, name));
    files.push(name);
  }
  return files;
}

/** Writes the files of an archive below a folder. @throws if a name leads out of it */
export async function unpackArchive(archive: Buffer, folder: string): Promise<void> {
  const bytes = await expand(archive);
  for (let at = 0; at < bytes.length;) {
    const start = at + LENGTH_BYTES + bytes.readUInt32BE(at);
    const file = JSON.parse(bytes.toString('utf8', at + LENGTH_BYTES, start)) as { name: string; bytes: number };
    if (file.name.split('/').includes('..')) throw new Error(`an archive of statistics names the file ${file.name}`);
    const path = join(folder, file.name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(path, 'wx', 0o600);
    try {
      await handle.writeFile(bytes.subarray(start, start + file.bytes));
    } finally {
      await handle.close();
    }
    at = start + file.bytes;
  }
}
