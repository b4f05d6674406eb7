import { longDuration, text, url, wholeNumber, type SettingParser } from './setting-parsers.js';

const BUCKET_PLACE = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/.*)?$/;

/** A folder, or `s3://bucket/prefix`. */
const place: SettingParser<string> = (value) => {
  const isFolder = !/^[a-z][a-z0-9+.-]*:/i.test(value);
  if (isFolder || BUCKET_PLACE.test(value)) return value;
  throw new Error('must be a folder or s3://bucket/prefix');
};

const interval: SettingParser<number> = (value) => {
  const ms = longDuration(value);
  if (ms < 60_000) throw new Error('must be a duration of at least 1m, such as 24h');
  return ms;
};

const unset = <T>(parse: SettingParser<T>, secret = false) => ({
  parse: parse as SettingParser<T | undefined>,
  secret,
});

/** Backups, the delivery journal, and the server of their buckets. */
export const BACKUP_SETTINGS = {
  BACKUP_TO: unset(place),
  BACKUP_EVERY: unset(interval),
  BACKUP_KEEP: { parse: wholeNumber(1, 10_000), fallback: '7', secret: false },
  BACKUP_JOURNAL: unset(place),
  BACKUP_PASSPHRASE: unset(text, true),
  S3_ENDPOINT: unset(url('http', 'https')),
  S3_REGION: { parse: text, fallback: 'us-east-1', secret: false },
};

export const backupClashes = (s: { BACKUP_EVERY?: number; BACKUP_TO?: string }): string[] =>
  s.BACKUP_EVERY !== undefined && s.BACKUP_TO === undefined ? ['BACKUP_TO is required with BACKUP_EVERY.'] : [];
