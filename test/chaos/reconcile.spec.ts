import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalDns } from '../support/dns/local-dns.js';
import { processesOn, startStandalone, type RunningProgram } from '../support/services/program.js';
import { RECIPIENT_DOMAINS } from './reconcile/message-plan.js';
import { reconcileAll, statisticsOf, type Repetition } from './reconcile/reconcile-all.js';
import { Recorder } from '../support/mail-servers/recorder.js';
import { SendingClients } from './reconcile/sending-clients.js';
import { until } from '../support/timing/until.js';
import { randomNumbers } from '../support/samples/random-numbers.js';

const MESSAGES = Number(process.env['RECONCILE_MESSAGES'] ?? 20_000);
const KILLS = Number(process.env['RECONCILE_KILLS'] ?? 15);
const SEED = Number(process.env['RECONCILE_SEED'] ?? randomInt(1, 1_000_000));
const CONCURRENCY = 50;
/** Requests in flight to one webhook (docs/webhooks.md). */
const WEBHOOK_CONCURRENCY = 100;
const LONGEST_DELAY_MS = 500;
/** Enough for 20 messages per second. */
const RUN_MS = 600_000 + MESSAGES * 50;
const UNFINISHED = ['queued', 'scheduled', 'sending', 'deferred'];

describe('the whole program, killed at random moments under load', { timeout: RUN_MS }, () => {
  // The moments of the kills follow from the seed.
  const random = randomNumbers(SEED);
  const kills: { at: number; until: number }[] = [];
  let recorder: Recorder;
  let dns: LocalDns;
  let program: RunningProgram;
  let clients: SendingClients;

  beforeAll(async () => {
    recorder = await Recorder.start();
    dns = await LocalDns.start({
      ...Object.fromEntries(
        RECIPIENT_DOMAINS.map((name) => [name, { MX: [{ preference: 10, exchange: 'mx.test' }], ttl: 3600 }]),
      ),
      'mx.test': { A: ['127.0.0.1'], ttl: 3600 },
    });
    program = await startStandalone({
      DELIVERY_MODE: 'mx',
      MX_PORT: String(recorder.ports.smtp),
      ALLOW_PRIVATE_MX: 'true',
      DNS_SERVERS: dns.address,
      DELIVERY_CONCURRENCY: String(CONCURRENCY),
      CONNECTIONS_PER_HOST: '100',
      DELIVERY_RETRY_SCHEDULE: '1s,2s,5s,10s,20s',
      WEBHOOK_RETRY_SCHEDULE: '1s,2s,5s,10s,20s,60s',
      ABUSE_BRAKES: 'off',
      BOOTSTRAP_PLAN: 'unlimited',
    });
    const webhook = await program.call('POST', '/webhooks', {
      url: `http://127.0.0.1:${recorder.ports.http}/hook`,
      events: ['email.queued', 'email.sent', 'email.delivered', 'email.bounced', 'email.failed'],
    });
    expect(webhook.status, await webhook.text()).toBe(201);
    clients = new SendingClients(program, { messages: MESSAGES, outcomes: () => recorder.counts.outcomes });
  });
  afterAll(async () => {
    clients?.stop();
    await program?.kill();
    await recorder?.close();
    await dns?.close();
    program?.clean();
  });

  it(`loses, invents and miscounts nothing of ${MESSAGES} messages in ${KILLS} kills`, async () => {
    console.log(`seed ${SEED}`);
    const began = Date.now();
    const sending = clients.sendAll();
    sending.catch(() => undefined);
    await Promise.all([sending, killAll()]);
    const sentAt = Date.now();
    await waitForOutcomes();
    const result = await reconcileAll(program, { messages: MESSAGES, ...sentOf(clients) }, recorder);
    const { differences } = result;
    const [deliveries, deferrals, webhooks] = [
      result.deliveriesRepeated,
      result.deferralsRepeated,
      result.webhooksRepeated,
    ].map(repetitionsPerKill);
    console.log(
      `${MESSAGES} messages, ${kills.length} kills, sent in ${seconds(sentAt - began)}, finished in ${seconds(Date.now() - began)}; ` +
        `acknowledged ${clients.acknowledged.size}, unanswered ${clients.unanswered.size}, repeated by clients ${clients.repeated}\n` +
        Object.entries(differences)
          .map(([name, { count, examples }]) => `${name} ${count}${examples.map((one) => `\n    ${one}`).join('')}`)
          .join('\n') +
        `\nrepeated per kill: deliveries ${deliveries.join(' ')}; deferrals ${deferrals.join(' ')}; ` +
        `webhooks ${webhooks.join(' ')} of ${recorder.counts.requests}\n` +
        `attempts without a reply: ${JSON.stringify([...result.unansweredAttempts])}`,
    );
    expect(Object.entries(differences).filter(([, { count }]) => count > 0)).toEqual([]);
    // Both repeat an attempt that was not committed.
    expect(Math.max(0, ...deliveries.map((count, i) => count + deferrals[i]))).toBeLessThanOrEqual(CONCURRENCY);
    expect(Math.max(0, ...webhooks)).toBeLessThanOrEqual(WEBHOOK_CONCURRENCY);
  });

  /** Kills at random points of the progress, so that they hit sending, delivery, retries and the end. */
  async function killAll(): Promise<void> {
    const points = Array.from({ length: KILLS }, () => 0.02 + 0.96 * random()).sort((a, b) => a - b);
    for (const point of points) {
      await until(async () => progress() >= point, { withinMs: RUN_MS, everyMs: 20, what: `progress ${point}` });
      await new Promise((resolve) => setTimeout(resolve, LONGEST_DELAY_MS * random()));
      const at = Date.now();
      await program.kill();
      // Sometimes the database too, as when a container ends; otherwise it ends by itself.
      if (random() < 1 / 3) killProcesses(processesOn(program.dataDir));
      await until(async () => processesOn(program.dataDir).length === 0, { what: 'the end of all processes' });
      kills.push({ at, until: Date.now() });
      program = await program.restart();
      console.log(
        `kill ${kills.length} of ${KILLS}: ${clients.finished} sent, ${recorder.counts.outcomes} with an outcome`,
      );
    }
  }

  const progress = () => (clients.finished + recorder.counts.outcomes) / (2 * MESSAGES);

  /** Nothing is unfinished, and statistics and webhooks no longer change. */
  async function waitForOutcomes(): Promise<void> {
    const options = { withinMs: RUN_MS, everyMs: 1_000 };
    await until(async () => (await Promise.all(UNFINISHED.map(countOf))).every((count) => count === 0), {
      ...options,
      what: 'the outcome of all messages',
    });
    let before = '';
    await until(
      async () => {
        const [last, now] = [before, JSON.stringify([recorder.counts, await statisticsOf(program)])];
        before = now;
        return last === now;
      },
      { ...options, everyMs: 10_000, what: 'the end of webhooks and statistics' },
    );
  }

  async function countOf(status: string): Promise<number> {
    const response = await program.call('GET', `/emails?status=${status}&limit=1`);
    return ((await response.json()) as { data: unknown[] }).data.length;
  }

  /** Every repetition must have a kill between its two times. */
  function repetitionsPerKill(repetitions: readonly Repetition[]): number[] {
    const counts = kills.map(() => 0);
    const without = repetitions.filter(({ previousAt, at }) => {
      const kill = kills.findIndex((one) => previousAt <= one.until && at >= one.at);
      if (kill >= 0) counts[kill] += 1;
      return kill < 0;
    });
    expect(without).toEqual([]);
    return counts;
  }
});

function killProcesses(processes: readonly { pid: number }[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;
const sentOf = ({ acknowledged, unanswered }: SendingClients) => ({ acknowledged, unanswered });
