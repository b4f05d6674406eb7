import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { backoffMs, Semaphore, sleep, type Log } from '#libs/kernel';
import { UNFINISHED, writeDurably, type Bucket } from '#libs/storage';
import { ContentUnavailable, refsFor, segmentName, type ContentRef, type SegmentStore } from './segment-store.js';

const CONCURRENT_UPLOADS = 4;

interface Local {
  /** Folder of the segments that are not uploaded yet. */
  spool: string;
  log: Log;
}

/**
 * Segments as objects of a bucket, one for each group commit. A segment is on the local disk before its emails are committed, and is
 * uploaded afterwards, so that a server that is slow or away delays no accept. The local file is deleted when the upload is
 * confirmed.
 */
export class SegmentBucket implements SegmentStore {
  private readonly writer = randomBytes(8).toString('hex');
  private readonly uploads = new Semaphore(CONCURRENT_UPLOADS);
  private readonly running = new Map<string, Promise<void>>();
  private readonly closing = new AbortController();
  private made = 0;

  constructor(
    private readonly bucket: Bucket,
    private readonly local: Local,
  ) {}

  /** Segments that are not in the bucket yet. */
  get waiting(): number {
    return this.running.size;
  }

  /** Uploads what an earlier process left behind. */
  async resume(): Promise<void> {
    for (const file of await this.spooled()) this.upload(file.replace('.', '/'));
  }

  async append(bodies: readonly Buffer[], day: string): Promise<ContentRef[]> {
    this.made += 1;
    const name = `${day}/${this.writer}-${this.made}`;
    await writeDurably(this.spoolPath(name), bodies);
    this.upload(name);
    return refsFor(bodies, `s3/${name}`);
  }

  async read({ segment, position, bytes }: ContentRef): Promise<Buffer> {
    const name = segmentName(segment);
    const local = await readFile(this.spoolPath(name)).catch(() => null);
    if (local) return local.subarray(position, position + bytes);
    return this.object(name, `bytes=${position}-${position + bytes - 1}`);
  }

  /** Only in the bucket: a segment that is on its way to it is erased later. */
  async erase(segment: string, refs: readonly ContentRef[]): Promise<void> {
    const name = segmentName(segment);
    if ((await this.spooled()).includes(spoolName(name)))
      throw new ContentUnavailable(`the segment ${segment} is not uploaded yet`);
    const body = await this.object(name);
    for (const { position, bytes } of refs) body.fill(0, position, position + bytes);
    await this.bucket.put(name, body);
  }

  async days(): Promise<string[]> {
    return (await this.bucket.folders()).sort();
  }

  deleteDay(day: string): Promise<void> {
    return this.bucket.deleteAll(`${day}/`);
  }

  async segmentsOf(day: string): Promise<string[]> {
    const names: string[] = [];
    for await (const { name } of this.bucket.list(`${day}/`)) names.push(`s3/${name}`);
    const waiting = (await this.spooled()).filter((file) => file.startsWith(`${day}.`));
    return [...new Set([...names, ...waiting.map((file) => `s3/${file.replace('.', '/')}`)])];
  }

  async copyOf(segment: string): Promise<Buffer> {
    const name = segmentName(segment);
    return (await readFile(this.spoolPath(name)).catch(() => null)) ?? this.object(name);
  }

  restore(segment: string, body: Buffer): Promise<void> {
    return this.bucket.put(segmentName(segment), body);
  }

  /** Uploads in progress end; those that wait for the server continue at the next start. */
  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all(this.running.values());
    this.bucket.close();
  }

  private upload(name: string): void {
    if (this.running.has(name)) return;
    this.running.set(
      name,
      this.uploads.run(() => this.untilUploaded(name)).finally(() => this.running.delete(name)),
    );
  }

  private async untilUploaded(name: string): Promise<void> {
    for (let failures = 0; !this.closing.signal.aborted;) {
      try {
        await this.bucket.put(name, await readFile(this.spoolPath(name)));
        return await rm(this.spoolPath(name), { force: true });
      } catch (error) {
        // Another program of this machine has uploaded it.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
        failures += 1;
        if (failures === 1)
          this.local.log.warn('content upload failed', { segment: name, reason: (error as Error).message });
        await sleep(backoffMs(failures), this.closing.signal);
      }
    }
  }

  private async object(name: string, range?: string): Promise<Buffer> {
    try {
      return await this.bucket.get(name, range);
    } catch (error) {
      throw new ContentUnavailable(`the segment s3/${name} cannot be read: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  private async spooled(): Promise<string[]> {
    const files = await readdir(this.local.spool).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return files.filter((file) => !file.endsWith(UNFINISHED));
  }

  private spoolPath(name: string): string {
    return join(this.local.spool, spoolName(name));
  }
}

const spoolName = (name: string): string => name.replace('/', '.');
