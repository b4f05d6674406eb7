import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { STATS_COUNTERS, type EmittedType } from '#libs/contracts';
import { EmbeddedPostgres } from '../../libs/persistence/src/embedded-postgres/index.js';
import { runningServer } from '../../libs/persistence/src/embedded-postgres/stale-server.js';
import { durableDatabase } from '../support/persistence/database.js';
import { LiveClients } from '../support/live/live-client.js';
import { happen } from '../support/live/live-events.js';
import { openLiveFixture, type LiveFixture } from '../support/live/live-fixture.js';
import { kafkaSettings } from '../engines/live-readers.suite.js';
import type { RunningProgram } from '../support/services/program.js';
import { until } from '../support/timing/until.js';

const TYPES: readonly EmittedType[] = [
  'email.queued',
  'email.sent',
  'email.delivered',
  'email.bounced',
  'email.complained',
];
const ROUNDS = 60;
const PER_ROUND = 20;

type Counts = Record<string, number>;

const brokers = process.env['KAFKA_TEST_BROKERS'];
const LOGS = [
  { log: 'PostgreSQL', settings: {} },
  ...(brokers === undefined ? [] : [{ log: 'Kafka', settings: kafkaSettings(brokers) }]),
];

/** Live counters and the statistics of REST agree after whatever happened to the programs in between. */
describe.each(LOGS)('live statistics beside kills, with the log of $log', ({ settings }) => {
  const dir = mkdtempSync(join(tmpdir(), 'postloft-live-kills-'));
  let postgres: EmbeddedPostgres;
  let fixture: LiveFixture;
  let gateways: RunningProgram[];
  let sink: RunningProgram;
  let domainIds: string[];
  let clients: LiveClients[];
  const appended: Counts[] = [];
  beforeAll(async () => {
    chmodSync(dir, 0o755);
    postgres = await EmbeddedPostgres.start({ dataDir: dir, connections: 100, log: () => undefined });
    fixture = await openLiveFixture(settings, await durableDatabase(postgres.url));
    gateways = [await fixture.start('gateway'), await fixture.start('gateway')];
    sink = await fixture.start('analytics');
    domainIds = await fixture.domains(gateways[0], 3);
    clients = gateways.map(({ url }) => new LiveClients(url));
    appended.push(...domainIds.map(() => ({})));
  });
  afterAll(async () => {
    await Promise.all((clients ?? []).map((each) => each.close()));
    await fixture?.close();
    await postgres?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** The latest counts of a domain, by a client that connects again after each loss. */
  function watch(from: LiveClients, key: string, domainId: string): () => Counts {
    let latest: Counts = {};
    const query = `subscription ($id: ID!) { domainStats(domainId: $id) { ${STATS_COUNTERS.join(' ')} } }`;
    const read = async (): Promise<void> => {
      const answers = from.open(key).iterate<{ domainStats: Counts }>({ query, variables: { id: domainId } });
      for await (const { data } of answers) if (data) latest = data.domainStats;
    };
    const run = async (): Promise<void> => {
      for (;;) {
        await read().catch(() => undefined);
        await pause(100, undefined, { ref: false });
      }
    };
    void run();
    return () => latest;
  }

  /** Between two rounds nothing is being committed, so an error of a round says that it has not begun. */
  async function appendRound(round: number): Promise<void> {
    const events = Array.from({ length: PER_ROUND }, (_, i) => {
      const [domain, type] = [(round + i) % domainIds.length, TYPES[i % TYPES.length]];
      appended[domain][type] = (appended[domain][type] ?? 0) + 1;
      return { accountId: fixture.accountId, domainId: domainIds[domain], type };
    });
    await until(async () => (await happen(fixture.database, events)).length > 0, { what: 'the commit' });
  }

  async function append(rounds: number, at: Record<number, () => Promise<unknown>> = {}): Promise<void> {
    const accidents: Promise<unknown>[] = [];
    for (let round = 0; round < rounds; round++) {
      if (at[round]) {
        accidents.push(at[round]());
        // A session of a killed server may live on for a moment, and its commit would have an unknown outcome.
        await pause(300);
      }
      await appendRound(round);
      await pause(50);
    }
    await Promise.all(accidents);
  }

  const expected = (): Counts[] =>
    appended.map((counts) => ({
      accepted: counts['email.queued'],
      sent: counts['email.sent'],
      delivered: counts['email.delivered'],
      bounced: counts['email.bounced'],
      complained: counts['email.complained'],
    }));
  async function rest(): Promise<Counts[]> {
    const answers = domainIds.map(async (id) => {
      const answer = await gateways[1].call('GET', `/domains/${id}/stats`);
      return (await answer.json()) as Counts;
    });
    return Promise.all(answers);
  }
  async function agree(watched: (() => Counts)[]): Promise<void> {
    const wanted = expected();
    const isRight = (all: Counts[]) =>
      all.every((counts, i) => Object.entries(wanted[i]).every(([name, count]) => counts[name] === count));
    let counted: Counts[] = [];
    await until(async () => isRight((counted = await rest())), {
      what: 'the statistics of REST',
      withinMs: 180_000,
    }).catch((error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify([wanted, counted])}`);
    });
    for (const from of [0, domainIds.length])
      await until(async () => isRight(watched.slice(from, from + domainIds.length).map((read) => read())), {
        what: 'the live counters',
      }).catch((error: Error) => {
        throw new Error(`${error.message}: ${JSON.stringify([wanted, watched.map((read) => read())])}`);
      });
  }
  /** A program that starts while PostgreSQL recovers gives up after a while; whoever runs it starts it again. */
  const restart = (program: 'gateway' | 'analytics', running: RunningProgram) =>
    until(() => fixture.killAndStart(program, running), { what: `the start of ${program}`, withinMs: 120_000 });
  const restartSink = async () => (sink = await restart('analytics', sink));
  const restartGateway = async () => (gateways[0] = await restart('gateway', gateways[0]));
  /** Its supervisor starts it again. */
  function killPostgres(): Promise<void> {
    process.kill(runningServer(join(postgres.folder, 'cluster')) ?? 0, 'SIGKILL');
    return Promise.resolve();
  }
  const watchAll = () =>
    clients.flatMap((from, i) => domainIds.map((domainId) => watch(from, gateways[i].key, domainId)));

  it('equal REST after kills of gateways and of the sink, and of both at once', async () => {
    const watched = watchAll();
    await append(ROUNDS, {
      10: () => restartSink(),
      30: () => restartGateway(),
    });
    await agree(watched);
    // Loaded anew, without the memory of the run.
    await restartGateway();
    await append(2);
    await agree(watched);
    // Events come while the store and the sink are gone; a gateway that starts then waits for them.
    await sink.kill();
    await append(5);
    await restartGateway();
    await append(5);
    await restartSink();
    await agree(watched);
  }, 400_000);

  it('equal REST after kills of PostgreSQL, alone and beside the others', async () => {
    const watched = watchAll();
    await append(ROUNDS, { 10: killPostgres, 30: killPostgres });
    await agree(watched);
    await append(ROUNDS, { 10: killPostgres, 20: () => restartSink(), 30: killPostgres, 40: () => restartGateway() });
    await agree(watched);
  }, 400_000);
});
