import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { cli } from '../support/cli.js';
import { mail } from '../support/mail.js';
import { freePorts } from '../support/ports.js';
import { launch, processesOn, startStandalone, type RunningProgram } from '../support/program.js';
import { selfSignedCertificate } from '../support/self-signed-certificate.js';
import { until } from '../support/until.js';

const MAIN = join(new URL('../../', import.meta.url).pathname, 'dist/programs/standalone.js');
const run = promisify(execFile);

describe('the life of a process', () => {
  let program: RunningProgram | undefined;
  afterEach(async () => {
    await program?.kill();
    program?.clean();
    program = undefined;
  });

  it('ends within 10 s of SIGTERM under load, with code 0 and no child left', async () => {
    const started = await startStandalone();
    program = started;
    const sending = Array.from({ length: 50 }, (_, i) =>
      started.call('POST', '/emails', mail({ subject: `s${i}` })).catch(() => null),
    );
    const startedAt = performance.now();
    const code = await program.stop();
    expect(code).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(processesOn(program.dataDir)).toEqual([]);
    await Promise.all(sending);
  });

  it('starts a second time on its data, with its key, in seconds', async () => {
    program = await startStandalone();
    const { id } = (await (await program.call('POST', '/emails', mail())).json()) as { id: string };
    await program.stop();
    const startedAt = performance.now();
    program = await program.restart();
    const seconds = (performance.now() - startedAt) / 1_000;
    console.log(`second start: ${seconds.toFixed(1)} s`);
    expect((await program.call('GET', `/emails/${id}`)).status).toBe(200);
  });

  it('refuses a second instance on the same data directory, in one sentence', async () => {
    program = await startStandalone();
    const { HTTP_PORT: _port, ...env } = program.env;
    const second = await run(process.execPath, [MAIN], {
      env: { PATH: process.env['PATH'] ?? '', ...env, HTTP_PORT: '1' },
    }).catch((error: { code: number; stderr: string }) => error);
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('already') });
    expect((second as { stderr: string }).stderr.trim().split('\n')).toHaveLength(1);
  });

  it('says in one sentence that a port is taken, and stops', async () => {
    program = await startStandalone();
    const { ports, env } = program;
    const taken = String(ports.inbound);
    await program.stop();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(ports.inbound, '127.0.0.1', resolve));
    const failed = await run(process.execPath, [MAIN], { env: { PATH: process.env['PATH'] ?? '', ...env } }).catch(
      (error: { code: number; stderr: string }) => error,
    );
    await new Promise((resolve) => other.close(resolve));
    const sentence = `Port ${taken} of 127.0.0.1 (INBOUND_SMTP_PORT) is taken by another program`;
    expect(failed).toMatchObject({ code: 1 });
    // As a whole, so that a failure shows what else was said.
    expect((failed as { stderr: string }).stderr.trim().split('\n')).toEqual([expect.stringContaining(sentence)]);
  });

  it.each([
    ['a port was taken', whilePortIsTaken],
    ['it was killed', untilAccountIsMade],
  ])('shows the first API key once, at the first start that gets through, after %s', async (_, startInVain) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postloft-e2e-'));
    chmodSync(dataDir, 0o755);
    const [http, smtp, smtps, inbound] = (await freePorts(4)).map(String);
    const ports = { HTTP_PORT: http, SMTP_PORT: smtp, SMTPS_PORT: smtps, INBOUND_SMTP_PORT: inbound };
    const env = { DATA_DIR: dataDir, ...ports, LOG_FORMAT: 'json' };
    expect(await startInVain(env)).not.toContain('First API key');

    program = await launch('standalone', env);
    const shown = () => /First API key +(\S+)/.exec(program?.output() ?? '')?.[1];
    await until(async () => program?.output().includes('Postloft is running') === true, {
      withinMs: 10_000,
      what: 'welcome',
    });
    const answer = await program.call('GET', '/domains', undefined, { authorization: `Bearer ${shown()}` });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject([{ name: 'sandbox.postloft.test' }]);
    await program.stop();

    program = await launch('standalone', env);
    await until(async () => program?.output().includes('as shown at the first start') === true, {
      withinMs: 10_000,
      what: 'welcome',
    });
    expect(shown()).toBeUndefined();
  });

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

  it('lets the command line make, block and settle accounts beside the running program, effective within a second', async () => {
    program = await startStandalone();
    const env = { DATA_DIR: program.dataDir };
    const made = JSON.parse(await cli(env, 'accounts', 'create', '--name', 'Second', '--json')) as {
      id: string;
      api_key: string;
    };
    const ask = async () =>
      (await program?.call('GET', '/domains', undefined, { authorization: `Bearer ${made.api_key}` }))?.status;
    expect(await ask()).toBe(200);
    for (const [verb, status] of [
      ['block', 403],
      ['unblock', 200],
      ['overdue', 403],
      ['settled', 200],
    ] as const) {
      await cli(env, 'accounts', verb, made.id);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(await ask(), verb).toBe(status);
    }
  });

  it('comes up again after kill -9 by itself', async () => {
    program = await startStandalone();
    await program.call('POST', '/emails', mail());
    await program.kill();
    program = await launch('standalone', program.env);
    expect((await program.call('GET', '/readyz')).status).toBe(200);
  });
});

/** Starts that end before they show anything; each resolves with what it said. */
async function whilePortIsTaken(env: Record<string, string>): Promise<string> {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(Number(env['HTTP_PORT']), '127.0.0.1', resolve));
  const ended = (await run(process.execPath, [MAIN], { env: { PATH: process.env['PATH'] ?? '', ...env } }).catch(
    (error: unknown) => error,
  )) as { code?: number; stdout: string; stderr: string };
  await new Promise((resolve) => other.close(resolve));
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('(HTTP_PORT) is taken') as string });
  return ended.stdout;
}

async function untilAccountIsMade(env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, [MAIN], { env: { PATH: process.env['PATH'] ?? '', ...env } });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output.includes('made the first account')) child.kill('SIGKILL');
  });
  await ended;
  return output;
}
