import { mkdtempSync, rmSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalDns } from '../support/dns/local-dns.js';
import { Recorder } from '../support/mail-servers/recorder.js';
import { randomNumbers } from '../support/samples/random-numbers.js';
import { cli } from '../support/services/cli.js';
import {
  emptyDataDir,
  launch,
  processesOn,
  startStandalone,
  type RunningProgram,
} from '../support/services/program.js';
import { until } from '../support/timing/until.js';
import { isRefused, plannedMessage, RECIPIENT_DOMAINS } from './reconcile/message-plan.js';
import { SendingClients } from './reconcile/sending-clients.js';

const RESTORES = Number(process.env['RESTORES'] ?? 20);
const MESSAGES = Number(process.env['RESTORE_MESSAGES'] ?? 10_000);
const SEED = Number(process.env['RESTORE_SEED'] ?? randomInt(1, 1_000_000));
const CONCURRENCY = 50;
const PASSPHRASE = 'the passphrase of the tests';
/** What was answered later than this before a kill may be lost. */
const LOST_MS = 1_000;
const RUN_MS = 120_000 + MESSAGES * 60;
const UNFINISHED = ['queued', 'scheduled', 'sending', 'deferred'];

interface Held {
  count: number;
  recipients: { address: string }[];
}

/** Each restore has a service, a mail server and clients of its own. */
describe('a service that is killed at a random moment and restored elsewhere', { timeout: RUN_MS }, () => {
  const random = randomNumbers(SEED);
  let dns: LocalDns;

  beforeAll(async () => {
    dns = await LocalDns.start({
      ...Object.fromEntries(
        RECIPIENT_DOMAINS.map((name) => [name, { MX: [{ preference: 10, exchange: 'mx.test' }], ttl: 3600 }]),
      ),
      'mx.test': { A: ['127.0.0.1'], ttl: 3600 },
    });
  });
  afterAll(() => dns?.close());

  it.each(Array.from({ length: RESTORES }, (_, i) => i + 1))('loses and repeats nothing, restore %i', async (run) => {
    const folder = mkdtempSync(join(tmpdir(), 'postloft-backup-'));
    const recorder = await Recorder.start();
    const program = await startStandalone({
      DELIVERY_MODE: 'mx',
      MX_PORT: String(recorder.ports.smtp),
      ALLOW_PRIVATE_MX: 'true',
      DNS_SERVERS: dns.address,
      DELIVERY_CONCURRENCY: String(CONCURRENCY),
      CONNECTIONS_PER_HOST: '100',
      DELIVERY_RETRY_SCHEDULE: '1s,2s,5s,10s,20s',
      ABUSE_BRAKES: 'off',
      BOOTSTRAP_PLAN: 'unlimited',
      CONTENT_STORE: run % 2 === 0 ? 'files' : 'postgres',
      BACKUP_JOURNAL: join(folder, 'journal'),
      BACKUP_PASSPHRASE: PASSPHRASE,
    });
    let restored: RunningProgram | undefined;
    try {
      const clients = new SendingClients(program, { messages: MESSAGES, outcomes: () => recorder.counts.outcomes });
      const sending = clients.sendAll();
      sending.catch(() => undefined);
      const answered = watch(clients);
      const first = 0.05 + 0.3 * random();
      const last = first + 0.1 + (0.85 - first) * random();
      await until(async () => clients.finished / MESSAGES >= first, {
        withinMs: RUN_MS,
        everyMs: 20,
        what: 'a backup',
      });
      await cli(program.env, 'backup', join(folder, 'backups'), '--with-master-key');
      await until(async () => clients.finished / MESSAGES >= last, { withinMs: RUN_MS, everyMs: 20, what: 'a kill' });
      await new Promise((resolve) => setTimeout(resolve, 500 * random()));
      const certain = answered.before(LOST_MS);
      clients.stop();
      await program.kill();
      await until(async () => processesOn(program.dataDir).length === 0, { what: 'the end of all processes' });
      answered.stop();
      const dataDir = emptyDataDir();
      const env = { ...program.env, DATA_DIR: dataDir };
      const began = Date.now();
      const told = JSON.parse(await cli(env, 'restore', join(folder, 'backups'), '--json')) as object;
      const tookMs = Date.now() - began;
      const held = JSON.parse(await cli(env, 'queue', 'held', '--json')) as Held;
      restored = await launch('standalone', env);
      await cli(env, 'queue', 'held', 'drop', 'all');
      await until(async () => (await unfinished(restored as RunningProgram)) === 0, {
        ...{ withinMs: RUN_MS, everyMs: 1_000, what: 'the outcome of all emails' },
      });
      const result = reconcile(recorder, held, [...clients.acknowledged.keys()].slice(0, certain));
      console.log(
        `seed ${SEED}, restore ${run}: ${certain} of ${clients.finished} answered a second before the kill; restored in ${tookMs} ms; ` +
          `held ${held.count}; lost ${result.lost.length}; repeated ${result.repeated.length}; ${JSON.stringify(told)}`,
      );
      expect(result).toEqual({ lost: [], repeated: [] });
    } finally {
      await restored?.kill();
      await program.kill();
      await recorder.close();
      restored?.clean();
      program.clean();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  async function unfinished({ call }: RunningProgram): Promise<number> {
    let sum = 0;
    for (const status of UNFINISHED) {
      const response = await call('GET', `/emails?status=${status}&limit=1`);
      sum += ((await response.json()) as { data: unknown[] }).data.length;
    }
    return sum;
  }
});

/** Samples how many messages were answered, so that a kill can ask for the number of some time ago. */
function watch(clients: SendingClients) {
  const samples: { at: number; count: number }[] = [];
  const timer = setInterval(() => samples.push({ at: Date.now(), count: clients.acknowledged.size }), 20);
  return {
    before: (ms: number) => samples.findLast(({ at }) => at <= Date.now() - ms)?.count ?? 0,
    stop: () => clearInterval(timer),
  };
}

/** @param certain indexes of messages that must not be lost */
function reconcile(recorder: Recorder, { recipients }: Held, certain: readonly number[]) {
  const counts = new Map<string, number>();
  for (const { recipient } of recorder.arrivals()) counts.set(recipient, (counts.get(recipient) ?? 0) + 1);
  const held = new Set(recipients.map(({ address }) => address));
  const expected = certain.map(plannedMessage).filter(({ outcome }) => !isRefused(outcome));
  return {
    lost: expected.flatMap((message) => message.recipients).filter((one) => !counts.has(one) && !held.has(one)),
    repeated: [...counts].filter(([, count]) => count > 1).map(([recipient]) => recipient),
  };
}
