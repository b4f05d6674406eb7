import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../../support/services/cli.js';
import { RATE_PER_SECOND } from '../../support/services/profiles.js';
import { openAccount, vouch, type ServiceAccount } from '../../support/services/service-client.js';
import { SmtpTalk } from '../../support/smtp/smtp-talk.mjs';
import { ONE_CONNECTION, relayClient } from '../../support/services/relay-client.js';

/** Ten runs of the command line, each of which takes seconds on a busy machine. */
const HANG_MS = 180_000;
/** Guards against a hang; test/perf measures that a second is enough. */
const EFFECT_MS = 15_000;

interface Made {
  id: string;
  token: string;
}

describe('keys, plans and limits beside the running program', () => {
  let program: ServiceAccount;
  let env: Record<string, string>;

  beforeAll(async () => {
    program = await openAccount('webhooks', { domain: 'letters.example', plan: '2' });
    ({ env } = program);
    await vouch(program, program.id, 'other.example');
  });

  const json = async <T>(...words: string[]) => JSON.parse(await cli(env, ...words, '--json')) as T;
  const makeKey = (...words: string[]) => json<Made>('api-keys', 'create', program.id, ...words);
  const as = (key: string) => (method: string, path: string, body?: unknown) =>
    program.call(method, path, body, { authorization: `Bearer ${key}` });
  const mail = (from = 'a@letters.example') => ({ from, to: 'ada@example.com', subject: 'Hi', text: 'Hi' });
  const send = async (key: string, from?: string) => (await as(key)('POST', '/emails', mail(from))).status;
  const relay = (key: string, user = 'a@letters.example') =>
    relayClient({ ports: program.ports, from: user, key }, ONE_CONNECTION);
  const login = (key: string, user?: string) => {
    const transport = relay(key, user);
    return transport
      .verify()
      .then(
        () => 'welcome',
        (error: Error & { response?: string }) => error.response ?? error.message,
      )
      .finally(() => transport.close());
  };

  it('makes restricted keys on the command line, which hold over HTTP and SMTP', { timeout: HANG_MS }, async () => {
    const far = await makeKey('--ip', '203.0.113.0/24,2001:db8::/32', '--name', 'far');
    expect((await as(far.token)('GET', '/domains')).status).toBe(403);
    expect(await login(far.token)).toMatch(/^535 5\.7\.8 /);
    const near = await makeKey('--ip', '127.0.0.1', '--permission', 'sending_access');
    expect((await as(near.token)('GET', '/domains')).status).toBe(403);
    expect(await login(near.token)).toBe('welcome');
    const reading = await makeKey('--scopes', 'domains.read,stats.read', '--test');
    expect((await as(reading.token)('GET', '/domains')).status).toBe(200);
    expect(await login(reading.token)).toMatch(/^535 5\.7\.8 /);
    const narrow = await makeKey('--domain', 'other.example', '--test');
    expect(await send(narrow.token)).toBe(403);
    expect(await send(narrow.token, 'a@other.example')).toBe(201);
    expect(await login(narrow.token)).toMatch(/^535 5\.7\.8 /);
    expect(await login(narrow.token, 'a@other.example')).toBe('welcome');
    const listed = await json<Record<string, unknown>[]>('api-keys', 'list', program.id);
    expect(listed.map(({ name }) => name)).toContain('far');
    expect(JSON.stringify(listed)).not.toContain(far.token);
    await cli(env, 'api-keys', 'revoke', near.id);
    await expect.poll(() => login(near.token), { timeout: EFFECT_MS, interval: 250 }).toMatch(/^535 5\.7\.8 /);
    await expect(cli(env, 'api-keys', 'create', program.id, '--domain', 'foreign.example')).rejects.toThrow(
      'has no domain "foreign.example"',
    );
  });

  it('counts the plan over HTTP and SMTP, and takes a new one', async () => {
    const transport = relay(program.key);
    const relayed = () => transport.sendMail(mail());
    expect(await send(program.key)).toBe(201);
    await relayed();
    expect(await send(program.key)).toBe(429);
    await expect(relayed()).rejects.toThrow(/452 4\.5\.3/);
    await cli(env, 'accounts', 'plan', program.id, 'unlimited');
    await expect.poll(() => send(program.key), { timeout: EFFECT_MS, interval: 250 }).toBe(201);
    await relayed();
    transport.close();
  });

  it('limits three keys, the relay and batches of one account together', async () => {
    await cli(env, 'accounts', 'plan', program.id, 'unlimited');
    const made = await Promise.all(
      ['live', 'test'].map((mode) => program.call('POST', '/api-keys', { name: mode, mode })),
    );
    const tokens = await Promise.all(made.map(async (answer) => ((await answer.json()) as { token: string }).token));
    const keys = [program.key, ...tokens];
    const transport = relay(program.key);
    await transport.verify();
    // The requests so far have taken tokens; after a second there are all of them again.
    await sleep(1_000);
    const refused = new Set<string>();
    let allowed = 0;
    const startedAt = performance.now();
    /** Repeats the request until every sender was refused once. */
    const ask = async (name: string, attempt: (turn: number) => Promise<boolean>) => {
      for (let turn = 0; refused.size < keys.length + 2; turn++) {
        if (await attempt(turn)) allowed += 1;
        else refused.add(name);
      }
    };
    // Addresses claimed by the client are ignored.
    const spoof = (turn: number) => ({
      'x-forwarded-for': `203.0.113.${turn % 250}`,
      forwarded: `for=198.51.100.${turn}`,
    });
    const askByKey = (key: string) =>
      ask(key, async (turn) => {
        const headers = { authorization: `Bearer ${key}`, ...spoof(turn) };
        return (await program.call('GET', '/domains', undefined, headers)).status === 200;
      });
    const sendBatches = ask(
      'batch',
      async () => (await program.call('POST', '/emails/batch', [mail()])).status === 201,
    );
    const sendByRelay = ask('relay', () =>
      transport.sendMail(mail()).then(
        () => true,
        () => false,
      ),
    );
    await Promise.all([...keys.flatMap((key) => [askByKey(key), askByKey(key)]), sendBatches, sendByRelay]);
    transport.close();
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(allowed).toBeGreaterThanOrEqual(RATE_PER_SECOND);
    // The initial tokens and those added since; a slow machine only raises this bound.
    expect(allowed).toBeLessThanOrEqual(1.02 * RATE_PER_SECOND * (1 + seconds) + 1);
  });

  it('answers MAIL beyond the rate 451 4.7.0, and takes mail again a second later', async () => {
    await cli(env, 'accounts', 'plan', program.id, 'unlimited');
    const talk = await SmtpTalk.loggedIn(program.ports.smtps, program.from, program.key);
    const tried = 3 * RATE_PER_SECOND;
    talk.write(`MAIL FROM:<${program.from}>\r\nRSET\r\n`.repeat(tried));
    const answers: string[] = [];
    for (let i = 0; i < tried; i++) {
      answers.push((await talk.reply()).join());
      await talk.reply();
    }
    const kinds = new Set(answers.map((answer) => answer.slice(0, 9)));
    expect([...kinds].sort()).toEqual(['250 2.1.0', '451 4.7.0']);
    await sleep(1_000);
    expect(await talk.say(`MAIL FROM:<${program.from}>`)).toMatch(/^250 2\.1\.0 /);
    talk.close();
  });
});
