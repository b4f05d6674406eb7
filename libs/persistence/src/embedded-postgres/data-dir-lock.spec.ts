import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { acquireDataDir } from './data-dir-lock.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lock-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('refuses a second holder and names the first', async () => {
  const lock = await acquireDataDir(dir);
  await expect(acquireDataDir(dir)).rejects.toThrow(`already running as process ${process.pid} on the data directory`);
  lock.release();
});

it('is free again after release, and makes a folder that is missing', async () => {
  const nested = join(dir, 'a', 'b');
  (await acquireDataDir(nested)).release();
  (await acquireDataDir(nested)).release();
});

it('does not believe the words of a file that nobody holds', async () => {
  writeFileSync(join(dir, 'lock'), `1 1\n`);
  (await acquireDataDir(dir)).release();
});

it('says which folder cannot be written', async () => {
  writeFileSync(join(dir, 'file'), '');
  await expect(acquireDataDir(join(dir, 'file', 'data'))).rejects.toThrow(/The data directory .* cannot be written/);
});
