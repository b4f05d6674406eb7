import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId, type RoutedEvent } from '#libs/contracts';
import { LiveLog, OutboxRelay, type EventBatch } from '#libs/bus';
import { Sequencer } from '../../../libs/bus/src/postgres/sequencer.js';
import { Metrics } from '#libs/kernel';
import { outbox, Database, Worker } from '#libs/persistence';
import { freshDatabase, type TestDatabase } from '../../support/persistence/database.js';
import { busProcess } from '../../support/fixtures/log-harness.js';
import { LOG_EVENTS } from '../../support/persistence/test-database.js';
import { until } from '../../support/timing/until.js';

type Process = Awaited<ReturnType<typeof busProcess>>;

describe('the event log of PostgreSQL, when something breaks', { timeout: 60_000 }, () => {
  let home: TestDatabase;
  let processes: Process[];

  beforeEach(async () => {
    home = await freshDatabase(process.env['TEST_DATABASE_URL'] as string);
    processes = [];
  });
  afterEach(async () => {
    await Promise.all(processes.map((one) => one.stop()));
    await home.drop();
  });

  async function start(): Promise<Process & { database: Database }> {
    const one = await busProcess(home.url);
    processes.push(one);
    return { ...one, database: one.app.get(Database) };
  }

  /** Cuts every connection that is idle now, those that hold locks, listen and move included. */
  async function cutConnections(database: Database): Promise<number> {
    const { rowCount } = await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    return rowCount;
  }

  it('goes on after all its connections were cut, and loses and repeats nothing', async () => {
    const { app, log, database } = await start();
    await app.get(OutboxRelay).start();
    const seen = new Map<string, number>();
    const handle = async ({ events }: EventBatch) => {
      for (const { event } of events) seen.set(event.id, (seen.get(event.id) ?? 0) + 1);
    };
    await log.consume({ consumer: 'one', batchSize: 100, handle });
    const all: RoutedEvent[] = [];
    for (let round = 0; round < 3; round++) {
      const events = eventsOfOneMail(20);
      all.push(...events);
      await outbox.append(database, events);
      await until(async () => seen.size === all.length);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(await cutConnections(database)).toBeGreaterThanOrEqual(2);
      await until(async () => (await database.query('SELECT 1')).rowCount === 1);
    }
    const last = eventsOfOneMail(1);
    await outbox.append(database, last);
    await until(async () => seen.has(last[0].event.id));
    expect([...seen.values()].filter((times) => times !== 1)).toEqual([]);
  });

  it('hands a position over when the lease of its owner expires', async () => {
    const [one, two] = [await start(), await start()];
    await one.app.get(OutboxRelay).start();
    const handledBy: string[] = [];
    const consumer = (name: string) => ({
      consumer: 'shared',
      batchSize: 10,
      handle: async () => {
        handledBy.push(name);
      },
    });
    await one.log.consume(consumer('one'));
    await outbox.append(one.database, eventsOfOneMail(1));
    await until(async () => handledBy.length === 1);
    await two.log.consume(consumer('two'));
    await takeOver(one);
    await outbox.append(one.database, eventsOfOneMail(1));
    // The former owner, which is not frozen in fact, may handle the event too, but its position is refused.
    await until(async () => handledBy.includes('two'));
    const stored = 'SELECT FROM consumer_positions WHERE position = 2';
    await until(async () => (await one.database.query(stored)).rowCount === 1);
  });

  it('repeats exactly the batch of an instance that froze, which then cannot store anything', async () => {
    const [frozen, heir] = [await start(), await start()];
    frozen.app.get(Sequencer).start();
    await outbox.append(frozen.database, eventsOfOneMail(6));
    await until(async () => (await frozen.app.get(LiveLog).head()) === 6);
    let thaw = () => {};
    const begun: EventBatch[] = [];
    const repeated: EventBatch[] = [];
    const options = { consumer: 'sink', batchSize: 10, recordBoundaries: true };
    await frozen.log.consume({
      ...options,
      handle: (batch) => {
        begun.push(batch);
        return new Promise((resolve) => {
          thaw = resolve;
        });
      },
    });
    await until(async () => begun.length === 1);
    await outbox.append(frozen.database, eventsOfOneMail(6));
    await until(async () => (await frozen.app.get(LiveLog).head()) === 12);
    await heir.log.consume({
      ...options,
      handle: async (batch) => {
        repeated.push(batch);
      },
    });
    await takeOver(frozen);
    await until(async () => repeated.at(-1)?.last === 12);
    expect(repeated[0]).toEqual(begun[0]);
    expect(repeated.map(({ first, last }) => [first, last])).toEqual([
      [1, 6],
      [7, 12],
    ]);
    thaw();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { rows } = await heir.database.query('SELECT position FROM consumer_positions');
    expect(rows).toEqual([{ position: '12' }]);
    expect(begun).toHaveLength(1);
  });

  it('gives dense positions while several sequencers run', async () => {
    const started = [await start(), await start(), await start()];
    for (const { app } of started) app.get(Sequencer).start();
    const { database, app } = started[0];
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let i = 0; i < 40; i++) await outbox.append(database, eventsOfOneMail(5));
      }),
    );
    const live = app.get(LiveLog);
    await until(async () => (await live.head()) === 1_200);
    const { rows } = await database.query<{ first: string; last: string; count: string; ids: string }>(
      `SELECT min(position) AS first, max(position) AS last, count(*), count(DISTINCT event_id) AS ids FROM ${LOG_EVENTS}`,
    );
    expect(rows).toEqual([{ first: '1', last: '1200', count: '1200', ids: '1200' }]);
  });

  it('moves what is committed before the process ends', async () => {
    const one = await start();
    one.app.get(Sequencer).start();
    const two = await start();
    await until(async () => (await one.app.get(LiveLog).head()) === 0);
    await outbox.append(one.database, eventsOfOneMail(5));
    await one.stop();
    processes.splice(processes.indexOf(one), 1);
    expect(await two.app.get(LiveLog).head()).toBe(5);
  });

  it('tells readers of other processes about a move and filters for them', async () => {
    const [mover, reader] = [await start(), await start()];
    mover.app.get(Sequencer).start();
    const live = reader.app.get(LiveLog);
    let rings = 0;
    const end = live.onNewEvents(() => (rings += 1));
    await new Promise((resolve) => setTimeout(resolve, 200));
    rings = 0;
    const [mine, other] = [eventsOfOneMail(3), eventsOfOneMail(2)];
    await outbox.append(mover.database, [...mine, ...other]);
    await until(async () => rings > 0);
    end();
    const { account_id: accountId } = mine[0].event;
    expect((await live.read(0, 10, { accountId })).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(await live.read(0, 10, { accountId, domainId: other[0].domainId as string })).toEqual([]);
    expect((await live.read(0, 10, { domainId: other[0].domainId as string })).length).toBe(2);
    expect((await live.read(3, 10)).map(({ position }) => position)).toEqual([4, 5]);
    expect((await live.read(0, 2)).map(({ position }) => position)).toEqual([1, 2]);
  });

  it('reads on where old events were cleared away', async () => {
    const { app, log, database } = await start();
    app.get(Sequencer).start();
    await outbox.append(database, eventsOfOneMail(40));
    await until(async () => (await app.get(LiveLog).head()) === 40);
    await outbox.append(database, eventsOfOneMail(10));
    await until(async () => (await app.get(LiveLog).head()) === 50);
    await database.query('DELETE FROM event_log WHERE first_position <= 40');
    const positions: number[] = [];
    await log.consume({
      consumer: 'late',
      batchSize: 5,
      handle: async ({ events }) => {
        positions.push(...events.map(({ position }) => position));
      },
    });
    await until(async () => positions.length === 10);
    expect(positions[0]).toBe(41);
    // A new consumer has lost nothing.
    expect(await app.get(Metrics).render()).not.toContain('postloft_log_lost_events_total{');
  });

  it.each([[false], [true]])(
    'counts the events that were cleared away before a consumer had handled them (recorded batch: %s)',
    async (recordBoundaries) => {
      const one = await start();
      one.app.get(Sequencer).start();
      for (const head of [10, 20, 30]) {
        await outbox.append(one.database, eventsOfOneMail(10));
        await until(async () => (await one.app.get(LiveLog).head()) === head);
      }
      const seen: number[] = [];
      let begun = 0;
      await one.log.consume({
        ...{ consumer: 'behind', batchSize: 5, recordBoundaries },
        handle: async ({ first }) => {
          begun += 1;
          if (first > 1) throw new Error('not today');
        },
      });
      await until(async () => begun > 1);
      await one.stop();
      processes.splice(processes.indexOf(one), 1);
      const { app, log, database } = await start();
      await database.query('DELETE FROM event_log WHERE first_position <= 20');
      await log.consume({
        ...{ consumer: 'behind', batchSize: 5, recordBoundaries },
        handle: async ({ events }) => {
          seen.push(...events.map(({ position }) => position));
        },
      });
      await until(async () => seen.length === 10);
      expect(seen[0]).toBe(21);
      expect(await app.get(Metrics).render()).toContain('postloft_log_lost_events_total{consumer="behind"} 15');
    },
  );

  it('says how far each consumer is behind', async () => {
    const { app, log, database } = await start();
    app.get(Sequencer).start();
    await log.consume({ consumer: 'behind', batchSize: 5, handle: () => Promise.reject(new Error('not today')) });
    await outbox.append(database, eventsOfOneMail(7));
    const metrics = app.get(Metrics);
    await until(async () => (await metrics.render()).includes('postloft_log_lag_events{consumer="behind"} 7'));
  });

  it('begins anew with the recorded batch when its position was set back by hand', async () => {
    const one = await start();
    one.app.get(Sequencer).start();
    const batches: string[] = [];
    const options = {
      consumer: 'sink',
      batchSize: 4,
      recordBoundaries: true,
      handle: async ({ source, first, last }: EventBatch) => {
        batches.push(`${source}:${first}-${last}`);
      },
    };
    await outbox.append(one.database, eventsOfOneMail(10));
    await until(async () => (await one.app.get(LiveLog).head()) === 10);
    await one.log.consume(options);
    await until(async () => batches.length === 3);
    await one.stop();
    processes.splice(processes.indexOf(one), 1);
    const two = await start();
    await two.database.query('UPDATE consumer_positions SET position = 0');
    await two.log.consume(options);
    await until(async () => batches.length === 6);
    expect(batches).toEqual(['log:1-4', 'log:5-8', 'log:9-10', 'log:1-4', 'log:5-8', 'log:9-10']);
  });

  /** As if `from` had been frozen for some time: another process takes its positions. */
  async function takeOver(from: Process & { database: Database }): Promise<void> {
    const owned = `name LIKE 'consumer %' AND owner = '${from.app.get(Worker).id}'`;
    await until(async () => {
      // Again and again, because its heart still beats.
      await from.database.query(`UPDATE leases SET heartbeat_at = now() - interval '13 s' WHERE ${owned}`);
      return (await from.database.query(`SELECT FROM leases WHERE ${owned}`)).rowCount === 0;
    });
  }
});

function eventsOfOneMail(count: number): RoutedEvent[] {
  const key = newId('wh');
  const [accountId, domainId] = [newId('acc'), newId('dom')];
  return Array.from({ length: count }, (_, i) =>
    outbox.event({
      type: 'webhook.test',
      data: { webhook_id: key, message: 'hello' },
      accountId,
      key,
      sequence: i + 1,
      domainId,
      test: false,
      at: new Date(),
    }),
  );
}
