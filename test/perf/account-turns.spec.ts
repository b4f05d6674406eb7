import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
const QUIET = Number(process.env['POSTLOFT_QUIET'] ?? 20);
const PER_MINUTE = 1_200;
const P99_MS = 3_000;

type Account = Pick<Sender, 'call' | 'json' | 'mail' | 'send'> & { id: string };

/** Accounts that send to one provider, which takes 20 messages a second. */
describe('a quiet account beside busy ones', () => {
  let network: MailNetwork;
  let commands: CommandLine;
  let mx: ScriptedMx;

  beforeAll(async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'postloft-shaping-')), 'shaping.json');
    writeFileSync(file, JSON.stringify({ default: { per_minute: PER_MINUTE } }));
    network = await MailNetwork.start({ SHAPING_FILE: file, RATE_LIMIT_PER_SECOND: '0' });
    commands = await openCommandLine(network.sender.env);
    mx = await network.mailServer('provider.test');
  });
  afterAll(async () => {
    await commands?.close();
    await network?.close();
  });

  async function account(domain: string): Promise<Account> {
    const words = ['accounts', 'create', '--name', domain, '--plan', 'unlimited'];
    const { id, api_key: key } = (await commands.run(words)) as { id: string; api_key: string };
    await commands.run(['domains', 'vouch', id, domain]);
    const body = (over?: Record<string, unknown>) => mail({ from: `Shop <shop@${domain}>`, ...over });
    return { id, ...senderOf(callersOf(network.sender.url, key), body) };
  }

  async function fill({ call, mail: body }: Account, name: string, count: number): Promise<void> {
    for (let first = 0; first < count; first += 100) {
      const mails = Array.from({ length: 100 }, (_, i) =>
        body({ subject: name, to: `${name}${first + i}@provider.test` }),
      );
      const answer = await call('POST', '/emails/batch', mails);
      if (!answer.ok) throw new Error(await answer.text());
    }
  }

  it(`is delivered within ${P99_MS} ms`, async () => {
    const [held, busy, quiet] = [await account('held.test'), await account('busy.test'), await account('quiet.test')];
    await fill(held, 'held', HELD);
    await commands.run(['accounts', 'block', held.id]);
    await fill(busy, 'busy', WAITING);
    await sleep(5_000);
    const sentAt = new Map<string, number>();
    for (let i = 0; i < QUIET; i += 1) {
      sentAt.set(`quiet ${i}`, Date.now());
      await quiet.send({ subject: `quiet ${i}`, to: `quiet${i}@provider.test` });
      await sleep(2_000);
    }
    const arrivals = () =>
      new Map(mx.accepted.map(({ content, at }) => [/^Subject: (.*)\r$/m.exec(content.toString())?.[1] ?? '', at]));
    await until(async () => [...sentAt.keys()].every((subject) => arrivals().has(subject)), {
      withinMs: 120_000,
      everyMs: 500,
      what: 'the messages of the quiet account',
    });
    const there = arrivals();
    const waits = [...sentAt].map(([subject, at]) => (there.get(subject) ?? Infinity) - at).toSorted((a, b) => a - b);
    const of = (name: string) => mx.accepted.filter(({ content }) => content.includes(`Subject: ${name}`)).length;
    console.log(
      `quiet: ${waits.join(', ')} ms; messages of the busy account ${of('busy')}, of the held one ${of('held')}`,
    );
    expect(waits.at(-1)).toBeLessThan(P99_MS);
  });
});
