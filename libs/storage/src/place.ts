import { resolve } from 'node:path';

/** Where files are kept: a folder of this machine, or a prefix of a bucket. */
export type Place = { kind: 'folder'; path: string } | { kind: 's3'; bucket: string; prefix: string };

const BUCKET = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;
/** Creating a folder there may never end (Node.js). */
const SYSTEM = /^\/(?:dev|proc|sys)(?:\/|$)/;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/**
 * Parses a folder, or `s3://bucket/prefix`.
 * @throws a sentence that says what is allowed and continues the name of a setting or argument
 */
export function parsePlace(text: string): Place {
  const [, bucket, path = ''] = BUCKET.exec(text) ?? [];
  if (bucket !== undefined) {
    const prefix = path
      .split('/')
      .filter((part) => part !== '')
      .join('/');
    if (prefix.split('/').some((part) => part === '.' || part === '..'))
      throw new Error('must be a folder or s3://bucket/prefix, without "." and ".." in the prefix');
    return { kind: 's3', bucket, prefix: prefix === '' ? '' : `${prefix}/` };
  }
  if (text.trim() === '' || SCHEME.test(text) || text.includes('\0'))
    throw new Error('must be a folder or s3://bucket/prefix');
  if (SYSTEM.test(resolve(text))) throw new Error('must be a folder on a disk, and not below /dev, /proc or /sys');
  return { kind: 'folder', path: text };
}
