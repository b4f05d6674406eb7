import { execFile } from 'node:child_process';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../libs/doctor/src/check.js';
import {
  HOST,
  startDoctorNetwork,
  REVERSE,
  SERVICE,
  SOURCE,
  type DoctorNetwork,
} from '../../support/doctor/doctor-network.js';
import { launch, type RunningProgram } from '../../support/services/program.js';
import { selfSignedCertificate } from '../../support/fixtures/self-signed-certificate.js';

const ROOT = new URL('../../../', import.meta.url).pathname;
/** Starts and stops the service, and runs the command several times. */
const ROUND_MS = 150_000;

let network: DoctorNetwork;
let program: RunningProgram | undefined;
/** Waits for time-outs most of the time, so it runs beside the other tests. */
let withoutAnswers: ReturnType<typeof runWithoutAnswers>;

beforeAll(async () => {
  withoutAnswers = runWithoutAnswers();
  // Its test reports a rejection.
  withoutAnswers.catch(() => undefined);
  network = await startDoctorNetwork();
});
beforeEach(() => network.reset());
afterAll(async () => {
  await program?.stop();
  await network?.close();
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

async function report(
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: number; checks: CheckResult[] }> {
  const { code, stdout, stderr } = await doctor(env, '--json', ...args);
  expect(stderr).toBe('');
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: CheckResult[] };
  expect(ok).toBe(checks.every(({ status }) => status !== 'error'));
  expect(code).toBe(ok ? 0 : 1);
  return { code, checks };
}

/** All faults at once; for each the check and subject that report it, and a part of the fix. */
function breakEverything(): { env: Record<string, string>; faults: [check: string, subject: string, fix: string][] } {
  const { dns, servers, time, file } = network;
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
    ...network.env,
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
      ['port-25', `port ${network.env['MX_PORT']} outbound`, 'SMARTHOST_URL='],
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
  it('reports every fault of a set-up with all faults, each with its fix', async () => {
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
    'reports no error for a correct set-up, without a running service and beside one',
    async () => {
      const expected = [
        // The port of the network is not 25, and its authority is private.
        ['settings', 'MX_PORT'],
        ['domains', SERVICE],
        ['tls', 'SMTP_TLS_CERT'],
        ['tls', 'SMTP_TLS_CERT'],
      ];
      const complaints = (checks: CheckResult[]) =>
        checks
          .filter(({ status }) => status !== 'ok' && status !== 'skipped')
          .map(({ check, subject }) => [check, subject]);
      const alone = await report(network.env);
      expect(alone.code).toBe(0);
      expect(complaints(alone.checks)).toEqual(expected.filter(([check]) => check !== 'domains'));
      expect(alone.checks.find(({ check }) => check === 'service')?.status).toBe('skipped');

      program = await launch('standalone', { ...network.env, LOG_FORMAT: 'json' });
      const beside = await report(network.env);
      expect(complaints(beside.checks)).toEqual(expected);
      const okay = beside.checks.filter(({ status }) => status === 'ok');
      for (const [check, subject] of [
        ['service', `127.0.0.1:${network.env['HTTP_PORT']}`],
        ['inbound', `127.0.0.1:${network.env['INBOUND_SMTP_PORT']}`],
        ['tls', `relay (127.0.0.1:${network.env['SMTP_PORT']})`],
        ['engines', 'PostgreSQL'],
        ['engines', 'queue'],
        ['disk', `open files of process ${program.pid}`],
      ])
        expect(
          okay.some((found) => found.check === check && found.subject === subject),
          `${check} ${subject}`,
        ).toBe(true);
      const crossed = await report(
        { ...network.env, INBOUND_SMTP_PORT: network.env['SMTP_PORT'] },
        '--only',
        'inbound',
      );
      expect(crossed.checks[0]).toMatchObject({
        status: 'error',
        message: expect.stringMatching(/^The relay/) as string,
      });
      await program.stop();
      program = undefined;

      // The database exists but does not run: it is started for the checks and stopped again.
      const after = await report(network.env, '--only', 'engines,domains');
      expect(after.checks.some(({ check, status }) => check === 'engines' && status === 'ok')).toBe(true);
    },
    ROUND_MS,
  );

  it('prints a report with each fix below its result, and exits with 1 for an error and 2 for a usage error', async () => {
    network.dns.remove(REVERSE);
    const broken = await doctor(network.env, '--only', 'ptr,spf');
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
    expect(await doctor(network.env, '--only', 'horoscope')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no check "horoscope"') as string,
    });
  });

  it('ends when no server answers', async () => {
    const { code, checks } = await withoutAnswers;
    expect(code).toBe(1);
    expect(checks.find(({ check, status }) => check === 'name-servers' && status === 'error')?.message).toContain(
      'does not answer',
    );
    // Missing answers are no evidence against records.
    expect(checks.filter(({ check }) => check === 'dns').every(({ status }) => status === 'skipped')).toBe(true);
  });
});

/** A network in which every server accepts connections and none answers. */
async function runWithoutAnswers(): Promise<{ code: number; checks: CheckResult[] }> {
  const [network, server] = await Promise.all([startDoctorNetwork(), silentServer()]);
  network.dns.isAway = true;
  network.time.isSilent = true;
  const port = String(server.port);
  const found = await report({
    ...network.env,
    DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/x`,
    CLICKHOUSE_URL: `http://127.0.0.1:${port}/x`,
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    HTTP_PORT: port,
    SMTP_PORT: port,
    INBOUND_SMTP_PORT: port,
  });
  await Promise.all([network.close(), server.close()]);
  return found;
}

/** Accepts connections and sends nothing. */
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
