import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../support/services/cli.js';
import { LocalDns, publish } from '../support/dns/local-dns.js';
import { mail } from '../support/samples/mail.js';
import { startStandalone, type RunningProgram } from '../support/services/program.js';
import { until } from '../support/timing/until.js';
import { relayClient } from '../support/services/relay-client.js';

const DOMAIN = 'mail.customer.example';

interface DomainShown {
  id: string;
  status: string;
  records: { type: 'TXT' | 'CNAME'; name: string; value: string; required: boolean }[];
}

/** Times that the service promises on a machine that has nothing else to do, in ms. */
const STOP_MS = 10_000;
const EFFECT_MS = 1_000;
const SIMULATED_MS = 5_000;
const DOMAIN_USED_MS = 3_000;
const DOMAIN_REMOVED_MS = 2_000;

describe('promised times', () => {
  let dns: LocalDns;
  let program: RunningProgram;
  beforeAll(async () => {
    dns = await LocalDns.start();
    program = await startStandalone({ DNS_SERVERS: dns.address, DOMAIN_CHECK_INTERVAL: '500ms' });
  });
  afterAll(async () => {
    await program?.kill();
    await dns?.close();
    program?.clean();
  });

  const send = async (over: Record<string, unknown> = {}) => program.call('POST', '/emails', mail(over));
  const statusOf = async (id: string) =>
    ((await (await program.call('GET', `/emails/${id}`)).json()) as { status: string }).status;
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  it.each(['delivered', 'bounced', 'deferred', 'failed', 'complained', 'opened', 'clicked'])(
    'a simulated outcome has its status within 5 s: %s',
    async (name) => {
      const { id } = (await (await send({ to: `${name}@sim.postloft.test` })).json()) as { id: string };
      const expected = ['opened', 'clicked'].includes(name) ? 'delivered' : name;
      await until(async () => (await statusOf(id)) === expected, { withinMs: SIMULATED_MS, what: expected });
    },
  );

  it('what the command line changes of an account counts within a second', async () => {
    const { id, api_key } = JSON.parse(await cli(program.env, 'accounts', 'create', '--name', 'Second', '--json')) as {
      id: string;
      api_key: string;
    };
    const ask = async () =>
      (await program.call('GET', '/domains', undefined, { authorization: `Bearer ${api_key}` })).status;
    expect(await ask()).toBe(200);
    for (const [verb, status] of [
      ['block', 403],
      ['unblock', 200],
      ['overdue', 403],
      ['settled', 200],
    ] as const) {
      await cli(program.env, 'accounts', verb, id);
      await pause(EFFECT_MS);
      expect(await ask(), verb).toBe(status);
    }
    await cli(program.env, 'domains', 'vouch', id, 'second.example');
    await cli(program.env, 'accounts', 'plan', id, '1');
    const sendAsSecond = async () =>
      (
        await program.call('POST', '/emails', mail({ from: 'a@second.example' }), {
          authorization: `Bearer ${api_key}`,
        })
      ).status;
    expect(await sendAsSecond()).toBe(201);
    expect(await sendAsSecond()).toBe(429);
    await cli(program.env, 'accounts', 'plan', id, 'unlimited');
    await until(async () => (await sendAsSecond()) === 201, { withinMs: EFFECT_MS, what: 'the new plan' });
  });

  it('a revoked key is refused within a second, over HTTP and SMTP', async () => {
    const made = await program.call('POST', '/api-keys', { name: 'Short-lived' });
    const { id, token } = (await made.json()) as { id: string; token: string };
    const login = () => {
      const transport = relayClient({ ports: program.ports, from: 'orders@sandbox.postloft.test', key: token });
      return transport
        .verify()
        .then(
          () => 'welcome',
          (error: Error) => error.message,
        )
        .finally(() => transport.close());
    };
    expect(await login()).toBe('welcome');
    await program.call('DELETE', `/api-keys/${id}`);
    await pause(EFFECT_MS);
    expect(await login()).toContain('535');
    expect((await program.call('GET', '/domains', undefined, { authorization: `Bearer ${token}` })).status).toBe(401);
  });

  it('a domain sends within three seconds of being active, and no longer than two after it was removed', async () => {
    const made = await program.call('POST', '/domains', { name: DOMAIN });
    const { id, records } = (await made.json()) as DomainShown;
    publish(dns, records);
    await until(async () => {
      const shown = (await (await program.call('GET', `/domains/${id}`)).json()) as DomainShown;
      return shown.status === 'active';
    });
    const from = `shop@${DOMAIN}`;
    await until(async () => (await send({ from })).status === 201, { withinMs: DOMAIN_USED_MS, what: 'mail from it' });
    expect((await program.call('DELETE', `/domains/${id}`)).status).toBe(200);
    await until(async () => (await send({ from })).status === 422, { withinMs: DOMAIN_REMOVED_MS, what: 'a refusal' });
  });

  it('SIGTERM under load ends the program within ten seconds; a second start takes seconds', async () => {
    const sending = Array.from({ length: 50 }, (_, i) => send({ subject: `s${i}` }).catch(() => null));
    const stoppedAt = performance.now();
    expect(await program.stop()).toBe(0);
    const stopMs = performance.now() - stoppedAt;
    await Promise.all(sending);
    const startedAt = performance.now();
    program = await program.restart();
    console.log(`stop ${stopMs.toFixed(0)} ms, second start ${(performance.now() - startedAt).toFixed(0)} ms`);
    expect(stopMs).toBeLessThan(STOP_MS);
  });
});
