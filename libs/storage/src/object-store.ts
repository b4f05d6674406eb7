export interface StoredObject {
  /** Below the place, with slashes. */
  name: string;
  bytes: number;
  modifiedAt: Date;
}

/** A growing series of bytes. */
export interface Appender {
  /** Resolves when the bytes survive a crash. After an error, open another one. */
  append(bytes: Buffer): Promise<void>;
  close(): Promise<void>;
}

/** Named files below a folder, or objects below a prefix of a bucket. */
export interface ObjectStore {
  /** As it was named, for sentences. */
  readonly place: string;
  /** Appears under its name when it is complete and survives a crash. */
  put(name: string, body: Buffer): Promise<void>;
  /** @throws ObjectMissing */
  get(name: string): Promise<Buffer>;
  /** The objects whose name begins with `start`, which is empty or ends with a slash, in order of their names. */
  list(start: string): Promise<StoredObject[]>;
  /** The names up to the first slash. */
  folders(): Promise<string[]>;
  /** Deletes the objects whose name begins with `start`, which ends with a slash, or the one with this name. */
  delete(start: string): Promise<void>;
  /** One file that grows, or several objects below `name/`. `get` and `list` show what was appended in that order. */
  appender(name: string): Promise<Appender>;
  close(): void;
}

export class ObjectMissing extends Error {}
