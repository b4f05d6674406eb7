import type { Bucket } from './bucket.js';
import { ObjectMissing, type Appender, type ObjectStore, type StoredObject } from './object-store.js';

const NUMBER_DIGITS = 8;

/** Objects below a prefix of a bucket. */
export class BucketStore implements ObjectStore {
  constructor(
    readonly place: string,
    private readonly bucket: Bucket,
  ) {}

  put(name: string, body: Buffer): Promise<void> {
    return this.bucket.put(name, body);
  }

  async get(name: string): Promise<Buffer> {
    return this.bucket.get(name).catch((error: Error) => {
      throw error.name === 'NoSuchKey' ? new ObjectMissing(`${name} is missing`, { cause: error }) : error;
    });
  }

  async list(start: string): Promise<StoredObject[]> {
    const found: StoredObject[] = [];
    for await (const object of this.bucket.list(start)) found.push(object);
    return found;
  }

  folders(): Promise<string[]> {
    return this.bucket.folders();
  }

  delete(start: string): Promise<void> {
    return this.bucket.deleteAll(start);
  }

  /** Objects cannot grow, so each call makes one. */
  async appender(name: string): Promise<Appender> {
    let made = 0;
    return {
      append: async (bytes) => {
        made += 1;
        await this.bucket.put(`${name}/${String(made).padStart(NUMBER_DIGITS, '0')}`, bytes);
      },
      close: () => Promise.resolve(),
    };
  }

  close(): void {
    this.bucket.close();
  }
}
