import { expect, it } from 'vitest';
import { parsePlace } from './place.js';

it.each([
  ['/var/backups', { kind: 'folder', path: '/var/backups' }],
  ['backups', { kind: 'folder', path: 'backups' }],
  ['s3://mail-backups', { kind: 's3', bucket: 'mail-backups', prefix: '' }],
  ['s3://mail-backups/eu/one/', { kind: 's3', bucket: 'mail-backups', prefix: 'eu/one/' }],
])('reads %s', (text, place) => {
  expect(parsePlace(text)).toEqual(place);
});

it.each(['', ' ', 'ftp://host/path', 's3:/bucket', 's3://', 's3://B', 'file:///x', 's3://bucket/../other'])(
  'refuses "%s"',
  (text) => {
    expect(() => parsePlace(text)).toThrow('must be a folder or s3://bucket/prefix');
  },
);

it.each(['/proc', '/proc/self/x', '/sys/backups', '/dev/shm/backups', '/var/../proc/x'])('refuses %s', (text) => {
  expect(() => parsePlace(text)).toThrow('must be a folder on a disk, and not below /dev, /proc or /sys');
});
