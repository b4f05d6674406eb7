import { crc32 } from 'node:zlib';

/** The place of the content of an email outside of the database. */
export interface ContentRef {
  /** `2026-11-27/<name>`, behind the kind of the store: `files/…` or `s3/…`. */
  segment: string;
  /** In bytes from the beginning of the segment. */
  position: number;
  bytes: number;
  /** CRC-32 of the bytes: content that was overwritten, or belongs to another installation, is never delivered. */
  checksum: number;
}

/**
 * Contents of many emails in few objects, each written once. A segment belongs to a day (UTC) and is deleted
 * with it.
 */
export interface SegmentStore {
  /** Stores the bodies of one group commit; resolves when they survive a crash. */
  append(bodies: readonly Buffer[], day: string): Promise<ContentRef[]>;
  /** @throws ContentUnavailable if the segment does not answer or does not exist */
  read(ref: ContentRef): Promise<Buffer>;
  /** Overwrites the bytes of one segment. @throws ContentUnavailable as above */
  erase(segment: string, refs: readonly ContentRef[]): Promise<void>;
  /** The days that have segments, such as `2026-11-27`, in order. */
  days(): Promise<string[]>;
  deleteDay(day: string): Promise<void>;
  /** The names of the segments of a day, as in `ContentRef`. */
  segmentsOf(day: string): Promise<string[]>;
  /** A whole segment. @throws ContentUnavailable as above */
  copyOf(segment: string): Promise<Buffer>;
  /** Stores a segment under its name, for a restore; resolves when it survives a crash. */
  restore(segment: string, body: Buffer): Promise<void>;
  /** Resolves when all that was appended is where it stays. */
  close(): Promise<void>;
}

/** Content that cannot be read at present. The caller tries again later. */
export class ContentUnavailable extends Error {}

/** The day of segments of this time, such as `2026-11-27`. */
export const segmentDay = (time: Date): string => time.toISOString().slice(0, 10);

const NAME = /^\d{4}-\d{2}-\d{2}\/[0-9a-f]{16}-\d{1,10}$/;

/** The name of a segment below its store, from the form of `ContentRef`. @throws for a text that this service did not write */
export function segmentName(segment: string): string {
  const name = segment.slice(segment.indexOf('/') + 1);
  if (NAME.test(name)) return name;
  throw new Error('a name of a segment does not read');
}

/** As a signed integer, which a column of PostgreSQL takes. */
export const checksumOf = (body: Buffer): number => crc32(body) | 0;

/** The places of bodies that are written one behind the other, from `position` on. */
export function refsFor(bodies: readonly Buffer[], segment: string, position = 0): ContentRef[] {
  let at = position;
  return bodies.map((body) => {
    const ref = { segment, position: at, bytes: body.length, checksum: checksumOf(body) };
    at += body.length;
    return ref;
  });
}
