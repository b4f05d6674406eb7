import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDataDir, restrictDataDir } from './data-dir-modes.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'modes-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const mode = (...path: string[]): string => (statSync(join(dir, ...path)).mode & 0o777).toString(8);

describe('restrictDataDir', () => {
  beforeEach(() => {
    for (const name of ['chdb', 'postgres']) mkdirSync(join(dir, name));
    for (const name of ['master-key', 'database-url', 'smtp-certificate-key.pem', 'smtp-certificate.pem', 'lock'])
      writeFileSync(join(dir, name), 'x');
    for (const name of ['', 'chdb', 'postgres', 'master-key', 'database-url', 'smtp-certificate-key.pem'])
      chmodSync(join(dir, name), 0o777);
  });

  it('takes folders and secret files from other users', () => {
    restrictDataDir(dir, { isPassable: false });
    expect([mode(), mode('chdb'), mode('postgres')]).toEqual(['700', '700', '700']);
    expect([mode('master-key'), mode('database-url'), mode('smtp-certificate-key.pem')]).toEqual(['600', '600', '600']);
    expect(mode('smtp-certificate.pem')).toBe('644');
  });

  it('lets the user of the database pass through, who cannot list anything', () => {
    restrictDataDir(dir, { isPassable: true });
    expect([mode(), mode('chdb'), mode('postgres')]).toEqual(['711', '700', '700']);
  });

  it('gives no permission', () => {
    chmodSync(dir, 0o700);
    chmodSync(join(dir, 'chdb'), 0o500);
    restrictDataDir(dir, { isPassable: true });
    expect([mode(), mode('chdb')]).toEqual(['700', '500']);
  });

  it('leaves alone what a link points to', () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'elsewhere-'));
    chmodSync(elsewhere, 0o755);
    symlinkSync(elsewhere, join(dir, 'linked'));
    restrictDataDir(dir, { isPassable: false });
    expect((statSync(elsewhere).mode & 0o777).toString(8)).toBe('755');
    rmSync(elsewhere, { recursive: true });
  });
});

it('createDataDir lets the user of the database through new folders, for root only', () => {
  createDataDir(join(dir, 'a', 'b'));
  const expected = process.geteuid?.() === 0 ? '711' : '700';
  expect([mode('a'), mode('a', 'b')]).toEqual([expected, expected]);
  chmodSync(join(dir, 'a'), 0o755);
  createDataDir(join(dir, 'a', 'b'));
  expect(mode('a')).toBe('755');
});
