import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STATS_COUNTERS, type EmittedType } from '#libs/contracts';
import { LiveClients } from '../support/live-client.js';
import { happen } from '../support/live-events.js';
import { openLiveFixture, type LiveFixture } from '../support/live-fixture.js';
import type { RunningProgram } from '../support/program.js';
import { until } from '../support/until.js';

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

/** Live counters and the statistics of REST agree after whatever happened to the programs in between. */
describe('live statistics beside kills', () => {
  let fixture: LiveFixture;
  let gateways: RunningProgram[];
  let sink: RunningProgram;
  let domainIds: string[];
  let clients: LiveClients[];
  const appended: Counts[] = [];
  beforeAll(async () => {
    fixture = await openLiveFixture();
    gateways = [await fixture.start('gateway'), await fixture.start('gateway')];
    sink = await fixture.start('analytics');
    domainIds = await fixture.domains(gateways[0], 3);
    clients = gateways.map(({ url }) => new LiveClients(url));
    appended.push(...domainIds.map(() => ({})));
  });
  afterAll(async () => {
    await Promise.all((clients ?? []).map((each) => each.close()));
    await fixture?.close();
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

  async function append(rounds: number, at: Record<number, () => Promise<unknown>> = {}): Promise<void> {
    const accidents: Promise<unknown>[] = [];
    for (let round = 0; round < rounds; round++) {
      if (at[round]) accidents.push(at[round]());
      await happen(
        fixture.database,
        Array.from({ length: PER_ROUND }, (_, i) => {
          const [domain, type] = [(round + i) % domainIds.length, TYPES[i % TYPES.length]];
          appended[domain][type] = (appended[domain][type] ?? 0) + 1;
          return { accountId: fixture.accountId, domainId: domainIds[domain], type };
        }),
      );
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
    await until(async () => isRight(await rest()), { what: 'the statistics of REST', withinMs: 120_000 });
    for (const from of [0, domainIds.length])
      await until(async () => isRight(watched.slice(from, from + domainIds.length).map((read) => read())), {
        what: 'the live counters',
      }).catch((error: Error) => {
        throw new Error(`${error.message}: ${JSON.stringify([wanted, watched.map((read) => read())])}`);
      });
  }
  const watchAll = () =>
    clients.flatMap((from, i) => domainIds.map((domainId) => watch(from, gateways[i].key, domainId)));

  it('equal REST after kills of a gateway and of the sink, and of the store', async () => {
    const watched = watchAll();
    await append(ROUNDS, {
      10: async () => {
        await sink.kill();
        sink = await sink.restart();
      },
      30: async () => {
        await gateways[0].kill();
        gateways[0] = await gateways[0].restart();
      },
    });
    await agree(watched);
    // Loaded anew, without the memory of the run.
    await gateways[0].kill();
    gateways[0] = await gateways[0].restart();
    await append(2);
    await agree(watched);
    // Events come while the store and the sink are gone; a gateway that starts then waits for them.
    await sink.kill();
    await append(5);
    await gateways[0].kill();
    gateways[0] = await gateways[0].restart();
    await append(5);
    sink = await sink.restart();
    await agree(watched);
  }, 400_000);
});
