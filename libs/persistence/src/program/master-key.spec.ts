import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '#libs/kernel';
import { createMasterKey, readMasterKeys, writeMasterKeys } from './master-key.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'master-key-'));
});
afterEach(() => rm(dir, { recursive: true }));

const KEY = Buffer.alloc(32, 1).toString('base64');
const config = (env: Record<string, string> = {}) => loadConfig('standalone', { DATA_DIR: dir, ...env });

describe('createMasterKey', () => {
  it('creates a key that only the owner can read, and keeps it', async () => {
    const home = join(dir, 'not', 'there', 'yet');
    const key = await createMasterKey(home);
    expect(key).toHaveLength(32);
    expect((await stat(join(home, 'master-key'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(home, 'master-key'), 'utf8')).toBe(`${key.toString('base64')}\n`);
    expect(await createMasterKey(home)).toEqual(key);
  });

  it('gives concurrent callers the same key, and leaves no other file behind', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => createMasterKey(dir)));
    expect(new Set(keys.map(String)).size).toBe(1);
    expect(await readdir(dir)).toEqual(['master-key']);
  });
});

describe('readMasterKeys', () => {
  const file = () => join(dir, 'master-key');

  it('reads the setting, else the file, and creates nothing', async () => {
    expect(await readMasterKeys(config())).toEqual([]);
    expect(await readMasterKeys(config({ MASTER_KEY: KEY }))).toEqual([Buffer.alloc(32, 1)]);
    expect(await readdir(dir)).toEqual([]);
    await writeFile(file(), KEY);
    expect(await readMasterKeys(config())).toEqual([Buffer.alloc(32, 1)]);
    expect(await readMasterKeys(config({ MASTER_KEY: KEY }))).toEqual([Buffer.alloc(32, 1)]);
  });

  it('reads the key that is replaced, of the second setting or the second line', async () => {
    const [first, second] = [1, 2].map((octet) => Buffer.alloc(32, octet));
    const MASTER_KEY_PREVIOUS = second.toString('base64');
    expect(await readMasterKeys(config({ MASTER_KEY: KEY, MASTER_KEY_PREVIOUS }))).toEqual([first, second]);
    await writeMasterKeys(dir, [first, second]);
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect(await readMasterKeys(config())).toEqual([first, second]);
    await writeMasterKeys(dir, [second]);
    expect(await readMasterKeys(config())).toEqual([second]);
    expect(await readdir(dir)).toEqual(['master-key']);
  });

  it('refuses a file that holds no key', async () => {
    for (const broken of ['', 'short', Buffer.alloc(33).toString('base64')]) {
      await writeFile(file(), broken);
      await expect(readMasterKeys(config())).rejects.toThrow('does not hold 32 bytes');
      expect(await readFile(file(), 'utf8')).toBe(broken);
    }
  });

  it('refuses a setting that differs from the file', async () => {
    await writeFile(file(), Buffer.alloc(32, 2).toString('base64'));
    await expect(readMasterKeys(config({ MASTER_KEY: KEY }))).rejects.toThrow(
      new ConfigError(
        `MASTER_KEY differs from the key in ${file()}: remove the setting to use the file, or move the file elsewhere to use the setting.`,
      ),
    );
  });
});
