import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const LAUNCHER = new URL('../../tools/launcher.cjs', import.meta.url).pathname;
const MIB = 1024 ** 2;

/** Uses the thread pool and keeps many young objects alive, then prints how far both have grown. */
const PROGRAM = `
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import v8 from 'node:v8';
await readFile(new URL(import.meta.url));
let kept = [];
let young = 0;
for (let i = 0; i < 2_000_000; i += 1) {
  kept.push({ i, list: [i] });
  if (kept.length > 400_000) kept = kept.slice(200_000);
  if (i % 100_000 === 0) young = Math.max(young, sizeOf('new_space'));
}
function sizeOf(name) {
  return v8.getHeapSpaceStatistics().find((space) => space.space_name === name).space_size;
}
console.log(JSON.stringify({ young, threads: readdirSync('/proc/self/task').length }));
`;

/** As tools/bundle.mjs arranges the files. */
describe('the launcher of a program', () => {
  let dir: string;
  let file: string;
  let usage: { young: number; threads: number };
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'postloft-launcher-'));
    file = join(dir, 'dist', 'programs', 'probe.js');
    writeFileSync(join(dir, 'package.json'), '{ "version": "12.3.4" }');
    for (const [folder, type] of [
      ['programs', 'commonjs'],
      ['bundles', 'module'],
    ]) {
      mkdirSync(join(dir, 'dist', folder), { recursive: true });
      writeFileSync(join(dir, 'dist', folder, 'package.json'), JSON.stringify({ type }));
    }
    writeFileSync(join(dir, 'dist', 'bundles', 'probe.js'), PROGRAM);
    copyFileSync(LAUNCHER, file);
    chmodSync(file, 0o755);
    usage = execute();
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  function execute(env: Record<string, string> = {}): typeof usage {
    const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
    return JSON.parse(execFileSync(file, { env: { PATH, ...env }, encoding: 'utf8' })) as typeof usage;
  }

  it('gives it 16 threads, or as many as the environment says', () => {
    expect(usage.threads - execute({ UV_THREADPOOL_SIZE: '4' }).threads).toBe(12);
  });

  it('lets its young generation grow to twice 64 MiB', () => {
    expect(usage.young).toBeGreaterThan(100 * MIB);
    expect(usage.young).toBeLessThanOrEqual(128 * MIB);
  });

  it('prints the version of the package, and runs nothing', () => {
    const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
    expect(execFileSync(file, ['--version'], { env: { PATH }, encoding: 'utf8' })).toBe('12.3.4\n');
  });
});
