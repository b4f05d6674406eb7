import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '#libs/kernel';

// Changes the working directory of the process, which a worker thread cannot do.
it('reads .env behind the environment', () => {
  const before = process.cwd();
  const dir = mkdtempSync(join(tmpdir(), 'postloft-env-'));
  try {
    writeFileSync(join(dir, '.env'), 'SERVICE_DOMAIN=from-file.example\nHTTP_PORT=4000\n');
    process.chdir(dir);
    process.env['HTTP_PORT'] = '4001';
    expect(loadConfig('standalone').settings).toMatchObject({ SERVICE_DOMAIN: 'from-file.example', HTTP_PORT: 4001 });
  } finally {
    delete process.env['HTTP_PORT'];
    process.chdir(before);
    rmSync(dir, { recursive: true });
  }
});
