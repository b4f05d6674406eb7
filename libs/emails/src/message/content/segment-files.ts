import { randomBytes } from 'node:crypto';
import { open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { createDurably, UNFINISHED, writeAll, writeDurably } from '#libs/storage';
import { ContentUnavailable, refsFor, segmentName, type ContentRef, type SegmentStore } from './segment-store.js';

/** A segment that has more is closed, so that erasing and copying handle bounded files. */
const SEGMENT_BYTES = 64 * 1024 * 1024;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

interface OpenSegment {
  day: string;
  segment: string;
  handle: FileHandle;
  size: number;
}

/** Segments as files of one folder, which all programs share. Each process appends to files of its own. */
export class SegmentFiles implements SegmentStore {
  private readonly writer = randomBytes(8).toString('hex');
  /** Open segments that no group writes to at the moment: as many as groups were written at the same time. */
  private readonly free: OpenSegment[] = [];
  private made = 0;

  constructor(
    private readonly folder: string,
    private readonly segmentBytes = SEGMENT_BYTES,
  ) {}

  async append(bodies: readonly Buffer[], day: string): Promise<ContentRef[]> {
    const file = await this.take(day);
    try {
      const refs = refsFor(bodies, file.segment, file.size);
      await writeAll(file.handle, bodies, file.size);
      await file.handle.datasync();
      file.size += bodies.reduce((sum, body) => sum + body.length, 0);
      if (file.size < this.segmentBytes) this.free.push(file);
      else await file.handle.close();
      return refs;
    } catch (error) {
      // The state of the file is unknown: the next group begins a new one.
      await file.handle.close().catch(() => undefined);
      throw error;
    }
  }

  async read({ segment, position, bytes }: ContentRef): Promise<Buffer> {
    return this.withFile(segment, 'r', async (handle) => {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(bytes), 0, bytes, position);
      if (bytesRead !== bytes) throw new ContentUnavailable(`the segment ${segment} is shorter than its contents`);
      return buffer;
    });
  }

  async erase(segment: string, refs: readonly ContentRef[]): Promise<void> {
    await this.withFile(segment, 'r+', async (handle) => {
      for (const { position, bytes } of refs) await writeAll(handle, [Buffer.alloc(bytes)], position);
      await handle.datasync();
    });
  }

  async days(): Promise<string[]> {
    const names = await readdir(this.folder).catch(nothing);
    return names.filter((name) => DAY.test(name)).sort();
  }

  async deleteDay(day: string): Promise<void> {
    await rm(join(this.folder, day), { recursive: true, force: true });
  }

  async segmentsOf(day: string): Promise<string[]> {
    const names = await readdir(join(this.folder, day)).catch(nothing);
    return names.filter((name) => !name.endsWith(UNFINISHED)).map((name) => `files/${day}/${name}`);
  }

  copyOf(segment: string): Promise<Buffer> {
    return this.withFile(segment, 'r', (handle) => handle.readFile());
  }

  restore(segment: string, body: Buffer): Promise<void> {
    return writeDurably(join(this.folder, segmentName(segment)), [body]);
  }

  async close(): Promise<void> {
    for (const file of this.free.splice(0)) await file.handle.close();
  }

  private async take(day: string): Promise<OpenSegment> {
    for (let file = this.free.pop(); file !== undefined; file = this.free.pop()) {
      if (file.day === day) return file;
      await file.handle.close();
    }
    this.made += 1;
    const name = `${day}/${this.writer}-${this.made}`;
    const handle = await createDurably(join(this.folder, name));
    return { day, segment: `files/${name}`, handle, size: 0 };
  }

  private async withFile<T>(segment: string, flags: 'r' | 'r+', use: (handle: FileHandle) => Promise<T>): Promise<T> {
    let handle: FileHandle;
    try {
      handle = await open(join(this.folder, segmentName(segment)), flags);
    } catch (error) {
      throw new ContentUnavailable(`the segment ${segment} cannot be opened`, { cause: error });
    }
    try {
      return await use(handle);
    } finally {
      await handle.close();
    }
  }
}

function nothing(error: NodeJS.ErrnoException): never[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
