import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadMasterKey } from './master-key.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'master-key-'));
});
afterEach(() => rm(dir, { recursive: true }));

describe('loadMasterKey', () => {
  it('makes a key that only the owner can read, and keeps it', async () => {
    const home = join(dir, 'not', 'there', 'yet');
    const key = await loadMasterKey(home);
    expect(key).toHaveLength(32);
    expect((await stat(join(home, 'master-key'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(home, 'master-key'), 'utf8')).toBe(`${key.toString('base64')}\n`);
    expect(await loadMasterKey(home)).toEqual(key);
  });

  it('gives one key to all who start at once, and leaves nothing behind', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => loadMasterKey(dir)));
    expect(new Set(keys.map(String)).size).toBe(1);
    expect(await readdir(dir)).toEqual(['master-key']);
  });

  it('never replaces a file that it cannot read as a key', async () => {
    for (const broken of ['', 'short', Buffer.alloc(33).toString('base64')]) {
      await writeFile(join(dir, 'master-key'), broken);
      await expect(loadMasterKey(dir)).rejects.toThrow('does not hold 32 bytes');
      expect(await readFile(join(dir, 'master-key'), 'utf8')).toBe(broken);
    }
  });
});
