import { setTimeout as sleep } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../support/cli.js';
import { startStandalone, type RunningProgram } from '../support/program.js';
import { SmtpTalk } from '../support/smtp-talk.js';

const RATE = 20;

interface Made {
  id: string;
  token: string;
}

describe('keys, plans and limits beside the running program', () => {
  let program: RunningProgram;
  let env: Record<string, string>;
  let accountId: string;
  let firstKey: string;

  beforeAll(async () => {
    program = await startStandalone({ RATE_LIMIT_PER_SECOND: String(RATE) });
    env = { DATA_DIR: program.dataDir };
    const made = await json<{ id: string; api_key: string }>('accounts', 'create', '--name', 'Letters', '--plan', '2');
    [accountId, firstKey] = [made.id, made.api_key];
    await cli(env, 'domains', 'vouch', accountId, 'letters.example');
    await cli(env, 'domains', 'vouch', accountId, 'other.example');
  });
  afterAll(async () => {
    await program?.stop();
    program?.clean();
  });

  const json = async <T>(...words: string[]) => JSON.parse(await cli(env, ...words, '--json')) as T;
  const makeKey = (...words: string[]) => json<Made>('api-keys', 'create', accountId, ...words);
  const as = (key: string) => (method: string, path: string, body?: unknown) =>
    program.call(method, path, body, { authorization: `Bearer ${key}` });
  const mail = (from = 'a@letters.example') => ({ from, to: 'ada@example.com', subject: 'Hi', text: 'Hi' });
  const send = async (key: string, from?: string) => (await as(key)('POST', '/emails', mail(from))).status;
  const relay = (key: string, user = 'a@letters.example') =>
    createTransport({
      host: '127.0.0.1',
      port: program.ports.smtps,
      secure: true,
      pool: true,
      maxConnections: 1,
      maxMessages: Infinity,
      tls: { rejectUnauthorized: false },
      auth: { user, pass: key },
    });
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

  it('makes restricted keys on the command line, which hold over HTTP and SMTP', async () => {
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
    const listed = await json<Record<string, unknown>[]>('api-keys', 'list', accountId);
    expect(listed.map(({ name }) => name)).toContain('far');
    expect(JSON.stringify(listed)).not.toContain(far.token);
    await cli(env, 'api-keys', 'revoke', near.id);
    await expect.poll(() => login(near.token), { timeout: 1_000, interval: 50 }).toMatch(/^535 5\.7\.8 /);
    await expect(cli(env, 'api-keys', 'create', accountId, '--domain', 'foreign.example')).rejects.toThrow(
      'has no domain "foreign.example"',
    );
  });

  it('counts the plan over HTTP and SMTP, and takes a new one within a second', async () => {
    const transport = relay(firstKey);
    const relayed = () => transport.sendMail(mail());
    expect(await send(firstKey)).toBe(201);
    await relayed();
    expect(await send(firstKey)).toBe(429);
    await expect(relayed()).rejects.toThrow(/452 4\.5\.3/);
    await cli(env, 'accounts', 'plan', accountId, 'unlimited');
    await expect.poll(() => send(firstKey), { timeout: 1_000, interval: 50 }).toBe(201);
    await relayed();
    transport.close();
  });

  it('limits three keys, the relay and batches of one account together (S-8)', async () => {
    await cli(env, 'accounts', 'plan', accountId, 'unlimited');
    const keys = [firstKey, (await makeKey()).token, (await makeKey('--test')).token];
    const transport = relay(firstKey);
    await transport.verify();
    let until = 0;
    let last = 0;
    const counted = async (ask: (turn: number) => Promise<boolean>, everyMs: number) => {
      let allowed = 0;
      for (let turn = 0; performance.now() < until; turn++) {
        if (await ask(turn)) allowed += 1;
        last = Math.max(last, performance.now());
        await sleep(everyMs);
      }
      return allowed;
    };
    const spoof = (turn: number) => ({
      'x-forwarded-for': `203.0.113.${turn % 250}`,
      forwarded: `for=198.51.100.${turn}`,
    });
    const everybody = () =>
      Promise.all([
        ...keys.map((key) =>
          counted(async (turn) => {
            const headers = { authorization: `Bearer ${key}`, ...spoof(turn) };
            return (await program.call('GET', '/domains', undefined, headers)).status === 200;
          }, 20),
        ),
        counted(async () => (await as(firstKey)('POST', '/emails/batch', [mail(), mail(), mail()])).status === 201, 50),
        counted(
          async () =>
            transport.sendMail(mail()).then(
              () => true,
              () => false,
            ),
          50,
        ),
      ]);
    const shares: number[] = [];
    for (let round = 0; round < 3; round++) {
      await sleep(1_200);
      const start = performance.now();
      until = start + 3_000;
      last = start;
      const allowed = await everybody();
      const total = allowed.reduce((sum, count) => sum + count, 0);
      const expected = RATE + (RATE * (last - start)) / 1_000;
      console.log(`${allowed.join(' + ')} = ${total} allowed, ${expected.toFixed(1)} expected`);
      expect(total).toBeLessThanOrEqual(expected * 1.02 + 1);
      shares.push(total / expected);
    }
    transport.close();
    // What nobody asked for in time is gone, and this machine may stand still for a second.
    expect(shares.toSorted((a, b) => a - b)[1]).toBeGreaterThanOrEqual(0.9);
  });

  it('answers MAIL beyond the rate 451 4.7.0, and takes mail again a second later', async () => {
    await cli(env, 'accounts', 'plan', accountId, 'unlimited');
    const talk = await SmtpTalk.loggedIn(program.ports.smtps, 'a@letters.example', firstKey);
    const tried = 3 * RATE;
    talk.write('MAIL FROM:<a@letters.example>\r\nRSET\r\n'.repeat(tried));
    const answers: string[] = [];
    for (let i = 0; i < tried; i++) {
      answers.push((await talk.reply()).join());
      await talk.reply();
    }
    const kinds = new Set(answers.map((answer) => answer.slice(0, 9)));
    expect([...kinds].sort()).toEqual(['250 2.1.0', '451 4.7.0']);
    await sleep(1_000);
    expect(await talk.say('MAIL FROM:<a@letters.example>')).toMatch(/^250 2\.1\.0 /);
    talk.close();
  });
});
