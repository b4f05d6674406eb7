import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import pino from 'pino';
import { loadConfig, Log } from '#libs/kernel';
import { loadCertificate } from '#apps/smtp/src/server/certificate';

const NOBODY = 65_534;
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'postloft-certificate-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Root may write everywhere, so the work is done as nobody. A worker thread cannot change the user of the process. */
async function inReadOnlyFolder(work: () => Promise<void>): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const name of ['.', ...readdirSync(dir)]) chownSync(join(dir, name), NOBODY, NOBODY);
  chmodSync(dir, 0o500);
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(dir, 0o700);
  }
}

it('keeps the certificate of another service name, and logs it, when its folder cannot be written', async () => {
  const config = (domain: string) => loadConfig('standalone', { DATA_DIR: dir, SERVICE_DOMAIN: domain });
  const lines: string[] = [];
  const log = new Log(pino({}, { write: (line: string) => lines.push(line) }));
  const old = await loadCertificate(config('post.example'), log);
  await inReadOnlyFolder(async () => {
    expect(await loadCertificate(config('mail.example'), log)).toEqual(old);
    expect(lines.splice(0)).toEqual([expect.stringMatching(/EACCES.*smtp\.mail\.example, and a new one cannot/)]);
  });
});
