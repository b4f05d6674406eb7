import { mkdtempSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MxContext } from '../support/mail-servers/mx-script.js';
import type { ScriptedMx } from '../support/mail-servers/scripted-mx.js';
import { openCommandLine, type CommandLine } from '../support/services/command-line.js';
import { MailNetwork } from '../support/services/mail-network.js';
import { callersOf } from '../support/services/program.js';
import { senderOf, type Sender } from '../support/services/sender.js';
import { mail } from '../support/samples/mail.js';
import { until } from '../support/timing/until.js';

/** Recipients of the paused account, of the busy one, and messages of the quiet one, one every two seconds. */
const HELD = Number(process.env['POSTLOFT_HELD'] ?? 3_000);
const WAITING = Number(process.env['POSTLOFT_WAITING'] ?? 3_000);
const QUIET = Number(process.env['POSTLOFT_QUIET'] ?? 30);
/** Accounts with equal mail, and their messages, of which a third is looked at. */
const EQUAL = Number(process.env['POSTLOFT_EQUAL'] ?? 100);
const EACH = Number(process.env['POSTLOFT_EACH'] ?? 90);
/** All of it is scheduled for the same time, this long after the first is accepted. */
const FILL_MS = Number(process.env['POSTLOFT_FILL_MS'] ?? 120_000);
const PER_MINUTE = 1_200;
const P99_MS = 3_000;
const RETRY_MS = 2_000;

type Account = Pick<Sender, 'call' | 'json' | 'mail' | 'send'> & { id: string };

const SERVICES = [
  ['standalone', (env: Record<string, string>) => MailNetwork.start(env)],
  ['five programs', (env: Record<string, string>) => MailNetwork.startDistributed(env)],
] as const;

const subjectOf = (content: Buffer): string => /^Subject: (.*)\r$/m.exec(content.toString())?.[1] ?? '';

/** Accounts that send to one provider, which takes 20 messages a second. */
describe.each(SERVICES)('in %s', (name, start) => {
  let network: MailNetwork;
  let commands: CommandLine;
  let mx: ScriptedMx;
  /** When the server answered 451 to a recipient. */
  const greyAt = new Map<string, number>();

  beforeEach(async () => {
    greyAt.clear();
    const file = join(mkdtempSync(join(tmpdir(), 'postloft-shaping-')), 'shaping.json');
    writeFileSync(file, JSON.stringify({ default: { per_minute: PER_MINUTE } }));
    network = await start({
      SHAPING_FILE: file,
      RATE_LIMIT_PER_SECOND: '0',
      DELIVERY_RETRY_SCHEDULE: `${RETRY_MS}ms`,
    });
    commands = await openCommandLine(network.sender.env);
    mx = await network.mailServer('provider.test', { on: { rcpt: greylist } });
  }, 200_000);
  afterEach(async () => {
    await commands?.close();
    await network?.close();
  });

  function greylist({ line }: MxContext): string | undefined {
    const address = /<(grey\d+@[^>]+)>/i.exec(line)?.[1];
    if (address === undefined || greyAt.has(address)) return undefined;
    greyAt.set(address, Date.now());
    return '451 4.7.1 greylisted, try again later';
  }

  async function account(domain: string): Promise<Account> {
    const words = ['accounts', 'create', '--name', domain, '--plan', 'unlimited'];
    const { id, api_key: key } = (await commands.run(words)) as { id: string; api_key: string };
    await commands.run(['domains', 'vouch', id, domain]);
    const body = (over?: Record<string, unknown>) => mail({ from: `Shop <shop@${domain}>`, ...over });
    return { id, ...senderOf(callersOf(network.sender.url, key), body) };
  }

  async function fill(
    { call, mail: body }: Account,
    count: number,
    of: { subject: string; scheduled_at?: string },
  ): Promise<void> {
    for (let first = 0; first < count; first += 100) {
      const mails = Array.from({ length: Math.min(100, count - first) }, (_, i) =>
        body({ ...of, to: `${of.subject}${first + i}@provider.test` }),
      );
      const answer = await call('POST', '/emails/batch', mails);
      if (!answer.ok) throw new Error(await answer.text());
    }
  }

  const arrivals = () => new Map(mx.accepted.map(({ content, at }) => [subjectOf(content), at]));
  const countOf = (subject: string) => mx.accepted.filter(({ content }) => subjectOf(content) === subject).length;

  /** Sends a message every two seconds; resolves with the subjects and their times. */
  async function sendQuietly({ send }: Account, prefix: string): Promise<Map<string, number>> {
    const sentAt = new Map<string, number>();
    for (let i = 0; i < QUIET; i += 1) {
      sentAt.set(`${prefix} ${i}`, Date.now());
      await send({ subject: `${prefix} ${i}`, to: `${prefix}${i}@provider.test` });
      await sleep(2_000);
    }
    await until(async () => [...sentAt.keys()].every((subject) => arrivals().has(subject)), {
      withinMs: 120_000,
      everyMs: 500,
      what: `the messages ${prefix}`,
    });
    return sentAt;
  }

  function report(what: string, waits: number[]): number {
    const sorted = waits.toSorted((a, b) => a - b);
    const of = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
    const figures = `n ${sorted.length}, p50 ${of(0.5)} ms, p99 ${of(0.99)} ms`;
    const beside = `busy ${countOf('busy')}, held ${countOf('held')} delivered meanwhile`;
    console.log(`${name}, ${what}: ${figures}; ${beside}; load ${loadavg()[0].toFixed(1)}`);
    return of(0.99);
  }

  it(`delivers mail and retries of a quiet account beside busy and held mail within ${P99_MS} ms`, async () => {
    const [held, busy, quiet] = [await account('held.test'), await account('busy.test'), await account('quiet.test')];
    await fill(held, HELD, { subject: 'held' });
    await commands.run(['accounts', 'block', held.id]);
    await fill(busy, WAITING, { subject: 'busy' });
    await sleep(5_000);
    const sent = await sendQuietly(quiet, 'quiet');
    const first = report(
      'first attempts',
      [...sent].map(([subject, at]) => (arrivals().get(subject) ?? Infinity) - at),
    );
    const grey = await sendQuietly(quiet, 'grey');
    const retries = report(
      'retries after they were due',
      [...grey.keys()].map((subject) => {
        const refusedAt = greyAt.get(`${subject.replace(' ', '')}@provider.test`) ?? -Infinity;
        return (arrivals().get(subject) ?? Infinity) - refusedAt - RETRY_MS;
      }),
    );
    expect([first, retries].every((ms) => ms <= P99_MS)).toBe(true);
  }, 900_000);

  it(`gives ${EQUAL} accounts with equal mail equal shares`, async () => {
    const accounts: Account[] = [];
    for (let i = 0; i < EQUAL; i += 1) accounts.push(await account(`equal${i}.test`));
    const at = new Date(Date.now() + FILL_MS);
    for (const [i, one] of accounts.entries())
      await fill(one, EACH, { subject: `equal${i}-`, scheduled_at: at.toISOString() });
    expect(Date.now(), 'when all is accepted').toBeLessThan(at.getTime());
    // At first only a part of the mail is marked as due.
    const [from, looked] = [2 * EQUAL, Math.floor((EQUAL * EACH) / 3)];
    await until(async () => mx.accepted.length >= from + looked, {
      withinMs: 600_000,
      everyMs: 500,
      what: 'the messages of the accounts',
    });
    const counts = new Map<string, number>();
    for (const { content } of mx.accepted.slice(from, from + looked))
      counts.set(subjectOf(content), (counts.get(subjectOf(content)) ?? 0) + 1);
    const shares = accounts.map((_, i) => (counts.get(`equal${i}-`) ?? 0) / (looked / EQUAL));
    const [least, most] = [Math.min(...shares), Math.max(...shares)];
    console.log(
      `${name}: shares from ${least.toFixed(2)} to ${most.toFixed(2)} of ${looked}; load ${loadavg()[0].toFixed(1)}`,
    );
    expect(least).toBeGreaterThanOrEqual(0.9);
    expect(most).toBeLessThanOrEqual(1.1);
  }, 1_200_000);
});
