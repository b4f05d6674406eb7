import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';

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

export interface BucketObject {
  /** Without the prefix of the bucket. */
  name: string;
  bytes: number;
  modifiedAt: Date;
}

/** Objects below a prefix of a bucket of Amazon S3, or of a server with the same interface. Every call ends within 30 s. */
export class Bucket {
  private readonly client: S3Client;

  constructor(private readonly options: BucketOptions) {
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

  async put(name: string, body: Buffer): Promise<void> {
    const { bucket, prefix } = this.options;
    await this.client.send(
      new PutObjectCommand({ Bucket: bucket, Key: prefix + name, Body: body, ContentLength: body.length }),
      limited(),
    );
  }

  /** @param range as in HTTP, such as `bytes=0-99` */
  async get(name: string, range?: string): Promise<Buffer> {
    const { bucket, prefix } = this.options;
    const { Body } = await this.client.send(
      new GetObjectCommand({ Bucket: bucket, Key: prefix + name, ...(range !== undefined && { Range: range }) }),
      limited(),
    );
    if (!Body) throw new Error('an empty answer');
    return Buffer.from(await Body.transformToByteArray());
  }

  /** The objects whose name begins with `start`, in order. */
  async *list(start: string): AsyncGenerator<BucketObject> {
    for await (const { Contents = [] } of this.pages({ Prefix: this.options.prefix + start }))
      for (const { Key = '', Size = 0, LastModified = new Date(0) } of Contents)
        yield { name: Key.slice(this.options.prefix.length), bytes: Size, modifiedAt: LastModified };
  }

  /** The names up to the first slash of all objects that have one. */
  async folders(): Promise<string[]> {
    const { prefix } = this.options;
    const folders: string[] = [];
    for await (const { CommonPrefixes = [] } of this.pages({ Prefix: prefix, Delimiter: '/' }))
      for (const { Prefix = '' } of CommonPrefixes)
        // Some servers keep folders without objects.
        if (await this.hasObjects(Prefix)) folders.push(Prefix.slice(prefix.length, -1));
    return folders;
  }

  /** Deletes the objects whose name begins with `start`. */
  async deleteAll(start: string): Promise<void> {
    const { bucket, prefix } = this.options;
    for await (const { Contents = [] } of this.pages({ Prefix: prefix + start })) {
      if (Contents.length === 0) continue;
      const Objects = Contents.map(({ Key }) => ({ Key }));
      const { Errors = [] } = await this.client.send(
        new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
        limited(),
      );
      if (Errors.length > 0) throw new Error(`${Errors.length} objects of ${start} stayed: ${Errors[0].Message}`);
    }
  }

  close(): void {
    this.client.destroy();
  }

  private async hasObjects(prefix: string): Promise<boolean> {
    const { Contents = [] } = await this.client.send(
      new ListObjectsV2Command({ Bucket: this.options.bucket, Prefix: prefix, MaxKeys: 1 }),
      limited(),
    );
    return Contents.length > 0;
  }

  private async *pages(query: { Prefix: string; Delimiter?: string }) {
    let token: string | undefined;
    do {
      const page = await this.client.send(
        new ListObjectsV2Command({ Bucket: this.options.bucket, ...query, ContinuationToken: token }),
        limited(),
      );
      yield page;
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }
}

const limited = () => ({ abortSignal: AbortSignal.timeout(REQUEST_MS) });
