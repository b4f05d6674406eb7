import { EventLog, OutboxRelay, ParkedEvents, type EventBatch } from '#libs/bus';
import { newId, type LoggedEvent } from '#libs/contracts';
import { Metrics } from '#libs/kernel';
import { outbox, Database } from '#libs/persistence';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../support/persistence/database.js';
import { busProcess } from '../../support/fixtures/log-harness.js';
import { LOG_EVENTS } from '../../support/persistence/test-database.js';
import { queuedEvents } from '../../support/webhooks/webhooks-harness.js';

const server = process.env['TEST_DATABASE_URL'] as string;
const WITHIN = { timeout: 20_000 };

describe('an event that a consumer cannot handle', () => {
  let home: TestDatabase;
  let program: Awaited<ReturnType<typeof busProcess>>;
  let database: Database;
  let parked: ParkedEvents;
  const accountId = newId('acc');
  /** Ids of the handled events, in order. */
  let handled: string[];
  let batches: EventBatch[];
  /** Errors by event id. */
  let faults: Map<string, () => Error>;

  beforeEach(async () => {
    home = await freshDatabase(server);
    program = await busProcess(home.url);
    database = program.app.get(Database);
    parked = program.app.get(ParkedEvents);
    [handled, batches, faults] = [[], [], new Map()];
    await program.app.get(OutboxRelay).start();
  });
  afterEach(async () => {
    await program.stop();
    await home.drop();
  });

  const consume = (options: { isRecordFault?: (error: unknown) => boolean } = {}) =>
    program.app.get(EventLog).consume({
      consumer: 'tested',
      batchSize: 100,
      ...options,
      handle: async (batch) => {
        batches.push(batch);
        for (const { event } of batch.events) {
          const fault = faults.get(event.id);
          if (fault) throw fault();
        }
        handled.push(...batch.events.map(({ event }) => event.id));
      },
    });

  /** Ids of new events, which are in the log when the consumer starts. */
  async function append(count: number): Promise<string[]> {
    const events = queuedEvents(accountId, count);
    await outbox.append(database, events);
    const ids = events.map(({ event }) => event.id);
    const inLog = async () =>
      (await database.query(`SELECT FROM ${LOG_EVENTS} WHERE event_id = ANY($1)`, [ids])).rowCount;
    await expect.poll(inLog, WITHIN).toBe(count);
    return ids;
  }

  const position = async () =>
    Number(
      (await database.query<{ position: string }>(`SELECT position FROM consumer_positions WHERE consumer = 'tested'`))
        .rows[0]?.position,
    );
  const metric = () => program.app.get(Metrics).registry.getSingleMetricAsString('postloft_parked_events');

  it('is parked, counted and shown, and stops no other', async () => {
    const ids = await append(20);
    faults.set(ids[7], () => new TypeError('data.records.map is not a function\u0000'));
    await consume();
    await expect.poll(position, WITHIN).toBe(20);
    expect(new Set(handled)).toEqual(new Set(ids.filter((id) => id !== ids[7])));
    const [one, ...more] = await parked.list(10);
    expect(more).toEqual([]);
    expect(one).toMatchObject({
      ...{ id: expect.stringMatching(/^prk_/), consumer: 'tested', source: 'log', event_id: ids[7], failures: 1 },
      ...{ event_type: 'email.queued', account_id: accountId, reason: 'data.records.map is not a function' },
      ...{ replay_requested: false, parked_at: expect.stringMatching(/Z$/) },
    });
    const { content } = (await parked.find(one.id)) ?? expect.fail('not parked');
    expect((content as { event: LoggedEvent }).event.event.id).toBe(ids[7]);
    expect(await metric()).toContain('postloft_parked_events{consumer="tested"} 1');

    const later = await append(1);
    await expect.poll(() => handled.includes(later[0]), WITHIN).toBe(true);
  });

  it('is not parked for a fault of the database or the network, however often', async () => {
    const ids = await append(3);
    let failures = 0;
    faults.set(ids[1], () => {
      if (++failures === 5) faults.clear();
      return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    });
    await consume();
    await expect.poll(() => handled, WITHIN).toEqual(ids);
    expect(batches.every(({ events }) => events.length === 3)).toBe(true);
    expect(await parked.list(10)).toEqual([]);
  });

  it('is parked for an unknown reason only after five failures, and if another event of its batch could be handled', async () => {
    const ids = await append(4);
    faults.set(ids[2], () => new Error('no idea'));
    await consume();
    await expect.poll(position, WITHIN).toBe(4);
    expect(batches.filter(({ events }) => events.length === 4)).toHaveLength(5);
    expect(await parked.list(10)).toMatchObject([{ event_id: ids[2], reason: 'no idea' }]);

    const all = await append(2);
    let failures = 0;
    for (const id of all)
      faults.set(id, () => {
        if (++failures > 12) for (const one of all) faults.delete(one);
        return new Error('the engine is out of order');
      });
    await expect.poll(position, WITHIN).toBe(6);
    expect(await parked.list(10)).toHaveLength(1);
    expect(handled.slice(-2)).toEqual(all);
  });

  it('is parked at once for a reason that the consumer knows', async () => {
    const [id] = await append(1);
    faults.set(id, () => new Error('MESSAGE_TOO_LARGE'));
    await consume({ isRecordFault: (error) => (error as Error).message === 'MESSAGE_TOO_LARGE' });
    await expect.poll(position, WITHIN).toBe(1);
    expect(batches).toHaveLength(1);
    expect(await parked.list(10)).toMatchObject([{ event_id: id }]);
  });

  it('is handled when its replay is requested and the fault is repaired, or dropped', async () => {
    const ids = await append(3);
    for (const id of ids) faults.set(id, () => new RangeError('too deep'));
    await consume();
    await expect.poll(position, WITHIN).toBe(3);
    const [first, second, third] = await parked.list(10);
    expect(await parked.requestReplay({ id: first.id })).toBe(1);
    await expect.poll(async () => (await parked.find(first.id))?.failures, WITHIN).toBe(2);
    expect(await parked.find(first.id)).toMatchObject({ replay_requested: false });

    expect(await parked.drop({ id: third.id })).toBe(1);
    faults.clear();
    expect(await parked.requestReplay({ consumer: 'another' })).toBe(0);
    expect(await parked.requestReplay('all')).toBe(2);
    await expect.poll(() => parked.list(10), WITHIN).toEqual([]);
    expect(handled).toEqual([first.event_id, second.event_id]);
    expect(await metric()).not.toContain('tested');
  });

  it('stays parked if it came from Kafka, and Kafka is not configured any more', async () => {
    const record = { key: null, value: null, headers: {} };
    await parked.park('tested', [{ source: 'events/4', position: 11, event: null, record, reason: 'unreadable' }]);
    await consume();
    await parked.requestReplay('all');
    await expect
      .poll(() => parked.list(10), WITHIN)
      .toMatchObject([{ failures: 2, replay_requested: false, reason: expect.stringContaining('not configured') }]);
  });
});
