import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { cli } from '../../support/services/cli.js';
import { freePorts } from '../../support/services/ports.js';
import { selfSignedCertificate } from '../../support/fixtures/self-signed-certificate.js';

const MAIN = join(new URL('../../../', import.meta.url).pathname, 'dist/programs/standalone.js');
const run = promisify(execFile);

describe('a program with settings that cannot be used', () => {
  it('names every wrong setting and what is allowed, and starts nothing', async () => {
    const failed = (await run(process.execPath, [MAIN, '--check-config'], {
      env: { PATH: process.env['PATH'] ?? '', HTTP_PORT: 'abc', DELIVERY_MODE: 'pigeon', BOOTSTRAP_PLAN: 'free' },
    }).catch((error: unknown) => error)) as { code: number; stderr: string };
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/HTTP_PORT must be a port number/);
    expect(failed.stderr).toMatch(/DELIVERY_MODE must be one of capture, mx, smarthost/);
    const right = await run(process.execPath, [MAIN, '--check-config'], { env: { PATH: process.env['PATH'] ?? '' } });
    expect(JSON.parse(right.stdout)).toMatchObject({ HTTP_PORT: 3000 });
  });

  it('says what to set where no embedded engine is installed for the platform', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'postloft-e2e-'));
    const hide = join(folder, 'hide.cjs');
    const missing = "throw Object.assign(new Error('none'), { code: 'MODULE_NOT_FOUND' })";
    writeFileSync(
      hide,
      `const Module = require('node:module'); const resolve = Module._resolveFilename;
       Module._resolveFilename = function (name, ...rest) { if (name.startsWith('@chdb/')) ${missing}; return resolve.call(this, name, ...rest); };`,
    );
    const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: folder };
    const options = ['--require', hide, MAIN, '--check-config'];
    await expect(run(process.execPath, options, { env })).rejects.toMatchObject({
      code: 1,
      stderr: `No embedded ClickHouse is installed for linux ${process.arch}. Set CLICKHOUSE_URL to a ClickHouse server instead.\n`,
    });
    await run(process.execPath, options, { env: { ...env, CLICKHOUSE_URL: 'http://u:p@127.0.0.1:8123/postloft' } });
    rmSync(folder, { recursive: true });
  });

  it('warns of a certificate that clients refuse, and accepts the settings', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postloft-e2e-'));
    const { cert, key } = selfSignedCertificate('other.example');
    const [SMTP_TLS_CERT, SMTP_TLS_KEY] = [join(dataDir, 'cert.pem'), join(dataDir, 'key.pem')];
    writeFileSync(SMTP_TLS_CERT, cert);
    writeFileSync(SMTP_TLS_KEY, key);
    const { stderr } = await run(process.execPath, [MAIN, '--check-config'], {
      env: { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir, SMTP_TLS_CERT, SMTP_TLS_KEY },
    });
    rmSync(dataDir, { recursive: true });
    expect(stderr).toMatch(
      /^Warning: SMTP_TLS_CERT: It does not stand for smtp\.postloft\.test, but for .*other\.example/m,
    );
    expect(stderr).toMatch(/^Warning: SMTP_TLS_CERT: It is signed by itself/m);
  });

  it('says in one sentence each which files and which database cannot be used', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postloft-e2e-'));
    const { cert } = selfSignedCertificate('smtp.postloft.test');
    const [certFile, keyFile] = [join(dataDir, 'cert.pem'), join(dataDir, 'key.pem')];
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, selfSignedCertificate('other.example').key);
    const sentences = async (env: Record<string, string>, ...args: string[]) => {
      const failed = (await run(process.execPath, [MAIN, ...args], {
        env: { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir, ...env },
      }).catch((error: unknown) => error)) as { code: number; stderr: string };
      expect(failed.code).toBe(1);
      return failed.stderr.trim().split('\n');
    };
    const files = {
      HTTP_TLS_CERT: join(dataDir, 'missing.pem'),
      HTTP_TLS_KEY: keyFile,
      SMTP_TLS_CERT: certFile,
      SMTP_TLS_KEY: keyFile,
    };
    const expected = [
      expect.stringMatching(/^HTTP_TLS_CERT cannot be read: /),
      `SMTP_TLS_KEY is not the key of SMTP_TLS_CERT; it is "${keyFile}".`,
    ];
    expect(await sentences(files, '--check-config')).toEqual(expected);
    const ports = { DELIVERY_MODE: 'pigeon', SMTP_PORT: '3000', SMTPS_PORT: 'abc', RETENTION_BODIES: '300d' };
    const all = [
      expect.stringMatching(/^SMTPS_PORT must be a port number/),
      expect.stringMatching(/^DELIVERY_MODE must be one of/),
      'RETENTION_BODIES and RETENTION_ATTEMPTS must not be longer than RETENTION_MESSAGES.',
      'HTTP_PORT and SMTP_PORT must differ; both are 3000.',
      ...expected,
    ];
    expect(await sentences({ ...files, ...ports }, '--check-config')).toEqual(all);
    expect(await sentences({ ...files, ...ports })).toEqual(all);
    expect(await sentences(files)).toEqual(expected);
    const [port] = await freePorts(1);
    const MASTER_KEY = Buffer.alloc(32, 1).toString('base64');
    const database = { DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/x`, MASTER_KEY };
    const said = expect.stringContaining(
      `DATABASE_URL names port ${port} of 127.0.0.1, where nothing listens`,
    ) as string;
    expect(await sentences(database)).toEqual([said]);
    await expect(cli({ DATA_DIR: dataDir, ...database }, 'accounts', 'list')).rejects.toMatchObject({ stderr: said });
    rmSync(dataDir, { recursive: true });
  });
});
