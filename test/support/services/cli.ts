import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = new URL('../../../', import.meta.url).pathname;

/** The administration command line on the settings of a running program; resolves with what it printed. */
export async function cli(env: Record<string, string>, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, 'dist/programs/cli.js'), ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', ...env },
  });
  return stdout;
}
