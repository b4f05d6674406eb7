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

it('can be locked again after release, and creates a missing directory', async () => {
  const nested = join(dir, 'a', 'b');
  (await acquireDataDir(nested)).release();
  (await acquireDataDir(nested)).release();
});

it('ignores the content of a file that no process has locked', async () => {
  writeFileSync(join(dir, 'lock'), `1 1\n`);
  (await acquireDataDir(dir)).release();
});

it('names the directory that cannot be written', async () => {
  writeFileSync(join(dir, 'file'), '');
  await expect(acquireDataDir(join(dir, 'file', 'data'))).rejects.toThrow(/The data directory .* cannot be written/);
});
