import { execFile } from 'node:child_process';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Finding } from '../../apps/standalone/src/doctor/finding.js';
import { HOST, openDoctorStage, REVERSE, SERVICE, SOURCE, type DoctorStage } from '../support/doctor-stage.js';
import { launch, type RunningProgram } from '../support/program.js';
import { selfSignedCertificate } from '../support/self-signed-certificate.js';

const ROOT = new URL('../../', import.meta.url).pathname;
const WHOLE_LIMIT_MS = 30_000;
/** It starts the service and stops it again, and calls the command three times. */
const ROUND_MS = 150_000;

let stage: DoctorStage;
let program: RunningProgram | undefined;
/** It waits most of the time, so the other tests run meanwhile. */
let amongTheSilent: ReturnType<typeof lookAtTheSilent>;

beforeAll(async () => {
  amongTheSilent = lookAtTheSilent();
  // Whatever it says is judged in its test.
  amongTheSilent.catch(() => undefined);
  stage = await openDoctorStage();
});
beforeEach(() => stage.heal());
afterAll(async () => {
  await program?.stop();
  await stage?.close();
});

interface Answer {
  code: number;
  stdout: string;
  stderr: string;
}

/** The command as an operator types it. */
async function doctor(env: Record<string, string>, ...args: string[]): Promise<Answer> {
  const file = join(ROOT, 'dist/programs/cli.js');
  const options = { env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', ...env } };
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [file, 'doctor', ...args], options)) };
  } catch (error) {
    const { code, stdout, stderr } = error as Answer;
    return { code, stdout, stderr };
  }
}

async function report(env: Record<string, string>, ...args: string[]): Promise<{ code: number; checks: Finding[] }> {
  const { code, stdout, stderr } = await doctor(env, '--json', ...args);
  expect(stderr).toBe('');
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Finding[] };
  expect(ok).toBe(checks.every(({ status }) => status !== 'error'));
  expect(code).toBe(ok ? 0 : 1);
  return { code, checks };
}

/** Wrong in every way at once: of each fault, where it shows and what the fix says. */
function breakEverything(): { env: Record<string, string>; faults: [check: string, subject: string, fix: string][] } {
  const { dns, servers, time, file } = stage;
  dns.remove(HOST);
  dns.set(REVERSE, { PTR: ['static-10.isp.example'] });
  dns.set(`spf.${SERVICE}`, { TXT: ['v=spf1 ip4:127.0.0.9 -all'] });
  dns.set(`bounces.${SERVICE}`, {});
  dns.set(SERVICE, { TXT: [`v=spf1 include:spf.${SERVICE} +all`] });
  for (const name of [`_dmarc.${SERVICE}`, `example.com._report._dmarc.${SERVICE}`, `track.${SERVICE}`])
    dns.remove(name);
  dns.set('10.0.0.127.zen.spamhaus.org', { A: ['127.0.0.4'] });
  dns.set('10.0.0.127.psbl.surriel.com', { A: ['127.0.0.2'] });
  dns.set(`${SERVICE}.dbl.spamhaus.org`, { A: ['127.0.1.2'] });
  dns.lie = null;
  for (const server of servers) server.script = { on: { banner: 'reset' } };
  time.aheadMs = 600_000;
  const expired = selfSignedCertificate('elsewhere.example', true);
  const env = {
    ...stage.env,
    DATA_DIR: '/dev/shm/postloft-doctor-not-there',
    DKIM_SIGNING: 'off',
    HTTP_HOST: '0.0.0.0',
    ALLOW_PRIVATE_WEBHOOKS: 'true',
    DATABASE_URL: 'postgres://nobody@127.0.0.1:9/nothing',
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    KAFKA_BROKERS: '127.0.0.1:9',
    CLICKHOUSE_URL: 'http://127.0.0.1:9/x',
    SHAPING_FILE: file(
      'all-broken.json',
      JSON.stringify({ sources: { main: [{ address: SOURCE }, { address: '192.0.2.77', helo: 'out2.example' }] } }),
    ),
    SMTP_TLS_CERT: file('all-broken.pem', expired.cert),
    SMTP_TLS_KEY: file('all-broken-key.pem', selfSignedCertificate('x.example').key),
  };
  return {
    env,
    faults: [
      ['settings', 'DKIM_SIGNING', 'DKIM_SIGNING=on'],
      ['settings', 'HTTP_HOST', 'HTTP_TLS_CERT='],
      ['settings', 'PUBLIC_URL', 'PUBLIC_URL=https'],
      ['settings', 'ALLOW_PRIVATE_WEBHOOKS', 'ALLOW_PRIVATE_WEBHOOKS=false'],
      ['addresses', '192.0.2.77', 'ip address add 192.0.2.77/32'],
      ['ptr', SOURCE, `static-10.isp.example. A ${SOURCE}`],
      ['ptr', '192.0.2.77', '77.2.0.192.in-addr.arpa. PTR out2.example.'],
      ['ptr', HOST, `${HOST}. A ${SOURCE}`],
      ['dns', HOST, `${HOST}. A ${SOURCE}`],
      ['dns', `bounces.${SERVICE}`, `bounces.${SERVICE}. MX 10 ${HOST}.`],
      ['dns', SERVICE, `${SERVICE}. MX 10 ${HOST}.`],
      ['dns', `_dmarc.${SERVICE}`, 'v=DMARC1; p=none'],
      ['dns', `*._report._dmarc.${SERVICE}`, 'TXT "v=DMARC1;"'],
      ['dns', `track.${SERVICE}`, `CNAME ${HOST}.`],
      ['spf', `spf.${SERVICE}`, `"v=spf1 ip4:${SOURCE} ip4:192.0.2.77 ip4:127.0.0.9 -all"`],
      ['spf', `bounces.${SERVICE}`, `include:spf.${SERVICE} -all`],
      ['spf', SERVICE, '-all'],
      ['port-25', `port ${stage.env['MX_PORT']} outbound`, 'SMARTHOST_URL='],
      ['block-lists', SOURCE, 'https://check.spamhaus.org/'],
      ['block-lists', SOURCE, 'https://psbl.org/remove'],
      ['block-lists', SERVICE, 'https://check.spamhaus.org/'],
      ['tls', 'SMTP_TLS_CERT', 'certbot certonly'],
      ['tls', 'SMTP_TLS_CERT', 'the two files of one certificate'],
      ['clock', 'clock', 'timedatectl set-ntp true'],
      ['disk', '/dev/shm/postloft-doctor-not-there', 'DATA_DIR='],
      ['engines', 'PostgreSQL', 'DATABASE_URL'],
      ['engines', 'Kafka 127.0.0.1:9', 'KAFKA_BROKERS'],
      ['engines', 'ClickHouse', 'CLICKHOUSE_URL'],
    ],
  };
}

describe('doctor', () => {
  it('names every fault of a set-up that is wrong in every way, each with its fix', async () => {
    const { env, faults } = breakEverything();
    expect(faults.length).toBeGreaterThanOrEqual(25);
    const { code, checks } = await report(env);
    expect(code).toBe(1);
    const bad = checks.filter(({ status }) => status === 'error' || status === 'warning');
    for (const [check, subject, fix] of faults)
      expect(
        bad.some((found) => found.check === check && found.subject === subject && found.fix?.includes(fix)),
        `${check} ${subject} ${fix}\n${JSON.stringify(bad, null, 1)}`,
      ).toBe(true);
    for (const found of checks)
      expect(Object.keys(found)).toEqual(['check', 'status', 'subject', 'message', 'fix', 'facts']);
    for (const found of bad) expect(found.fix, found.message).not.toBeNull();
  });

  it(
    'finds nothing that keeps mail from arriving when all of it is mended, without a running service and beside one',
    async () => {
      const expected = [
        // The stage's port is not 25, and nobody knows its authority.
        ['settings', 'MX_PORT'],
        ['domains', SERVICE],
        ['tls', 'SMTP_TLS_CERT'],
        ['tls', 'SMTP_TLS_CERT'],
      ];
      const complaints = (checks: Finding[]) =>
        checks
          .filter(({ status }) => status !== 'ok' && status !== 'skipped')
          .map(({ check, subject }) => [check, subject]);
      const alone = await report(stage.env);
      expect(alone.code).toBe(0);
      expect(complaints(alone.checks)).toEqual(expected.filter(([check]) => check !== 'domains'));
      expect(alone.checks.find(({ check }) => check === 'service')?.status).toBe('skipped');

      program = await launch('standalone', { ...stage.env, LOG_FORMAT: 'json' });
      const beside = await report(stage.env);
      expect(complaints(beside.checks)).toEqual(expected);
      const okay = beside.checks.filter(({ status }) => status === 'ok');
      for (const [check, subject] of [
        ['service', `127.0.0.1:${stage.env['HTTP_PORT']}`],
        ['inbound', `127.0.0.1:${stage.env['INBOUND_SMTP_PORT']}`],
        ['tls', `relay (127.0.0.1:${stage.env['SMTP_PORT']})`],
        ['engines', 'PostgreSQL'],
        ['engines', 'queue'],
        ['disk', `open files of process ${program.pid}`],
      ])
        expect(
          okay.some((found) => found.check === check && found.subject === subject),
          `${check} ${subject}`,
        ).toBe(true);
      const crossed = await report({ ...stage.env, INBOUND_SMTP_PORT: stage.env['SMTP_PORT'] }, '--only', 'inbound');
      expect(crossed.checks[0]).toMatchObject({
        status: 'error',
        message: expect.stringMatching(/^The relay/) as string,
      });
      await program.stop();
      program = undefined;

      // The database is there but nobody runs it: it is started for the look, and stopped again.
      const after = await report(stage.env, '--only', 'engines,domains');
      expect(after.checks.some(({ check, status }) => check === 'engines' && status === 'ok')).toBe(true);
    },
    ROUND_MS,
  );

  it('speaks to people in words, the fix below each finding, and ends with 1 for an error and 2 for a mistake', async () => {
    stage.dns.remove(REVERSE);
    const broken = await doctor(stage.env, '--only', 'ptr,spf');
    expect(broken.code).toBe(1);
    expect(broken.stdout).toBe(`Reverse DNS (ptr)
  ERROR   ${SOURCE}: It has no PTR record. The large providers refuse mail from there outright.
          Fix: ${REVERSE}. PTR ${HOST}.
               in the reverse zone, which belongs to whoever gave you the address ("reverse DNS" in most panels).

SPF (spf)
  ok      spf.${SERVICE}: It lets ${SOURCE} pass.
  ok      bounces.${SERVICE}: It lets ${SOURCE} pass.
  ok      ${SERVICE}: It lets ${SOURCE} pass.

Not ready: 1 error, 0 warnings, 0 not looked at, 3 ok.
`);
    expect(await doctor(stage.env, '--only', 'horoscope')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no check "horoscope"') as string,
    });
  });

  it('ends in time whoever is silent', async () => {
    const { ms, code, checks } = await amongTheSilent;
    expect(ms).toBeLessThan(WHOLE_LIMIT_MS);
    expect(code).toBe(1);
    expect(checks.find(({ check, status }) => check === 'name-servers' && status === 'error')?.message).toContain(
      'does not answer',
    );
    // Silence says nothing against records.
    expect(checks.filter(({ check }) => check === 'dns').every(({ status }) => status === 'skipped')).toBe(true);
  });
});

/** A stage on which everybody takes questions and nobody answers. */
async function lookAtTheSilent(): Promise<{ ms: number; code: number; checks: Finding[] }> {
  const [silence, server] = await Promise.all([openDoctorStage(), silentServer()]);
  silence.dns.isAway = true;
  silence.time.isSilent = true;
  const port = String(server.port);
  const begun = performance.now();
  const found = await report({
    ...silence.env,
    DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/x`,
    CLICKHOUSE_URL: `http://127.0.0.1:${port}/x`,
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    HTTP_PORT: port,
    SMTP_PORT: port,
    INBOUND_SMTP_PORT: port,
  });
  const ms = performance.now() - begun;
  await Promise.all([silence.close(), server.close()]);
  return { ms, ...found };
}

/** Takes connections and says nothing. */
async function silentServer(): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
