import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { backoffMs, Semaphore, sleep, type Log } from '#libs/kernel';
import { UNFINISHED, writeDurably } from './durable-files.js';
import { ContentUnavailable, refsFor, segmentName, type ContentRef, type SegmentStore } from './segment-store.js';

const CONCURRENT_UPLOADS = 4;
/** Of a request to the server. */
const REQUEST_MS = 30_000;

export interface BucketOptions {
  /** Undefined: Amazon S3 in the region. */
  endpoint: string | undefined;
  region: string;
  bucket: string;
  /** Before the names of all objects, such as `postloft/`. */
  prefix: string;
  /** Undefined: as the library finds them, such as the role of the machine. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
}

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
  private readonly client: S3Client;
  private readonly uploads = new Semaphore(CONCURRENT_UPLOADS);
  private readonly running = new Map<string, Promise<void>>();
  private readonly closing = new AbortController();
  private made = 0;

  constructor(
    private readonly options: BucketOptions,
    private readonly local: Local,
  ) {
    const { endpoint, region, credentials } = options;
    this.client = new S3Client({
      region,
      ...(credentials !== undefined && { credentials }),
      // Servers other than Amazon's know buckets by path, and not all know its newer checksums.
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

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
    await this.put(name, body);
  }

  async days(): Promise<string[]> {
    const { prefix } = this.options;
    const days: string[] = [];
    for await (const { CommonPrefixes = [] } of this.pages({ Prefix: prefix, Delimiter: '/' }))
      for (const { Prefix = '' } of CommonPrefixes)
        // Some servers keep folders without objects.
        if (await this.hasObjects(Prefix)) days.push(Prefix.slice(prefix.length, -1));
    return days.sort();
  }

  async deleteDay(day: string): Promise<void> {
    const { bucket, prefix } = this.options;
    for await (const { Contents = [] } of this.pages({ Prefix: `${prefix}${day}/` })) {
      if (Contents.length === 0) continue;
      const Objects = Contents.map(({ Key }) => ({ Key }));
      const { Errors = [] } = await this.client.send(
        new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
        this.limited(),
      );
      if (Errors.length > 0) throw new Error(`${Errors.length} segments of ${day} stayed: ${Errors[0].Message}`);
    }
  }

  /** Uploads in progress end; those that wait for the server continue at the next start. */
  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all(this.running.values());
    this.client.destroy();
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
        await this.put(name, await readFile(this.spoolPath(name)));
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

  private async put(name: string, body: Buffer): Promise<void> {
    const { bucket, prefix } = this.options;
    await this.client.send(
      new PutObjectCommand({ Bucket: bucket, Key: prefix + name, Body: body, ContentLength: body.length }),
      this.limited(),
    );
  }

  private async object(name: string, range?: string): Promise<Buffer> {
    const { bucket, prefix } = this.options;
    try {
      const { Body } = await this.client.send(
        new GetObjectCommand({ Bucket: bucket, Key: prefix + name, ...(range !== undefined && { Range: range }) }),
        this.limited(),
      );
      if (!Body) throw new Error('an empty answer');
      return Buffer.from(await Body.transformToByteArray());
    } catch (error) {
      throw new ContentUnavailable(`the segment s3/${name} cannot be read: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  private async hasObjects(prefix: string): Promise<boolean> {
    const { Contents = [] } = await this.client.send(
      new ListObjectsV2Command({ Bucket: this.options.bucket, Prefix: prefix, MaxKeys: 1 }),
      this.limited(),
    );
    return Contents.length > 0;
  }

  private async *pages(query: { Prefix: string; Delimiter?: string }) {
    let token: string | undefined;
    do {
      const page = await this.client.send(
        new ListObjectsV2Command({ Bucket: this.options.bucket, ...query, ContinuationToken: token }),
        this.limited(),
      );
      yield page;
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  private limited() {
    return { abortSignal: AbortSignal.timeout(REQUEST_MS) };
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
