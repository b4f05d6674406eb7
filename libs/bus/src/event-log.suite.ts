import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId, type LoggedEvent, type RoutedEvent } from '#libs/contracts';
import { outbox, type Database } from '#libs/persistence';
import type { EventBatch, EventLog } from './event-log.js';

/** As a process of its own sees the log. */
export interface LogProcess {
  log: EventLog;
  /** The ordinary stop of a process. */
  stop(): Promise<void>;
}

/** One engine with an empty log, and what keeps the log moving. */
export interface LogHarness {
  database: Database;
  process(): Promise<LogProcess>;
  close(): Promise<void>;
}

const WRITERS = 8;
/** Events of the gate; a multiple of 40. */
const MANY = 1_000;
const PATIENCE_MS = 30_000;

/** How an event log must behave, whatever its brand; `many` events are appended at once. */
export function eventLogSuite(brand: string, makeHarness: () => Promise<LogHarness>, many = MANY): void {
  describe(`the event log of ${brand}`, { timeout: 60_000 }, () => {
    let harness: LogHarness;
    const running: LogProcess[] = [];

    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(async () => {
      await Promise.all(running.splice(0).map((one) => one.stop()));
      await harness.close();
    });

    async function start(): Promise<LogProcess> {
      const started = await harness.process();
      running.push(started);
      return started;
    }
    async function stop(one: LogProcess): Promise<void> {
      running.splice(running.indexOf(one), 1);
      await one.stop();
    }
    const append = (events: RoutedEvent[]) => harness.database.transaction((tx) => outbox.append(tx, events));

    it('delivers every event, those of one key in the order of their sequence', async () => {
      const seen = new Seen();
      const { log } = await start();
      await log.consume({ consumer: 'reader', batchSize: 7, handle: seen.handle });
      const mails = Array.from({ length: 10 }, () => eventsOfOneMail(6));
      for (let sequence = 0; sequence < 6; sequence += 2) {
        await append(mails.flatMap((events) => events.slice(sequence, sequence + 2)).reverse());
      }
      await seen.all(mails.flat());
      expect(seen.disorder()).toEqual([]);
      expect(seen.repeated()).toEqual([]);
      expect(Math.max(...seen.batches.map((batch) => batch.events.length))).toBeLessThanOrEqual(7);
    });

    it('returns each event as appended, with its position', async () => {
      const seen = new Seen();
      const { log } = await start();
      await log.consume({ consumer: 'reader', batchSize: 10, handle: seen.handle });
      const [one, other] = [...eventsOfOneMail(1), ...eventsOfOneMail(1, { test: true, domainId: null })];
      await append([one]);
      await append([other]);
      await seen.all([one, other]);
      const byPosition = seen.events.sort((a, b) => a.position - b.position);
      expect(byPosition).toEqual([
        { ...one, position: 1 },
        { ...other, position: 2 },
      ]);
    });

    it('continues where it stopped', async () => {
      const first = new Seen();
      const before = await start();
      await before.log.consume({ consumer: 'reader', batchSize: 100, handle: first.handle });
      const early = eventsOfMails(20, 2);
      await append(early);
      await first.all(early);
      await stop(before);

      const late = eventsOfMails(20, 2);
      await append(late);
      const second = new Seen();
      const after = await start();
      await after.log.consume({ consumer: 'reader', batchSize: 100, handle: second.handle });
      await second.all(late);
      expect(second.ids()).toEqual(new Set(late.map(({ event }) => event.id)));
    });

    it('repeats a batch that fails without delaying other consumers', async () => {
      const { log } = await start();
      const healthy = new Seen();
      const troubled = new Seen();
      const tries: number[] = [];
      await log.consume({ consumer: 'healthy', batchSize: 50, handle: healthy.handle });
      await log.consume({
        consumer: 'troubled',
        batchSize: 50,
        handle: async (batch) => {
          tries.push(performance.now());
          if (tries.length <= 3) throw new Error('not at the moment');
          await troubled.handle(batch);
        },
      });
      const events = eventsOfOneMail(5);
      await append(events);
      await healthy.all(events);
      await troubled.all(events);
      expect(troubled.disorder()).toEqual([]);
      expect(tries.length).toBeGreaterThanOrEqual(4);
      expect(tries[1] - tries[0]).toBeGreaterThan(50);
      expect(tries[3] - tries[2]).toBeGreaterThan(400);
    });

    it('lets two instances of one consumer share the work without handling anything twice', async () => {
      const seen = new Seen();
      const [one, two] = [await start(), await start()];
      const early = eventsOfMails(30, 3);
      const late = eventsOfMails(60, 3);
      await one.log.consume({ consumer: 'shared', batchSize: 10, handle: seen.handle });
      await append(early);
      await seen.all(early);
      await two.log.consume({ consumer: 'shared', batchSize: 10, handle: seen.handle });
      for (let i = 0; i < late.length; i += 20) {
        await append(late.slice(i, i + 20));
        await sleep(50);
      }
      await seen.all([...early, ...late]);
      await stop(one);
      const last = eventsOfMails(10, 1);
      await append(last);
      await seen.all(last);
      expect(seen.repeated()).toEqual([]);
      expect(seen.disorder()).toEqual([]);
    });

    it('repeats exactly the batch that was handled when its position could not be stored', async () => {
      const before = await start();
      const handled: EventBatch[] = [];
      await before.log.consume({
        consumer: 'sink',
        batchSize: 20,
        recordBoundaries: true,
        handle: async (batch) => {
          handled.push(batch);
          throw new Error('the process ends here');
        },
      });
      await append(eventsOfOneMail(8));
      await until(() => handled.length > 0);
      await stop(before);
      // More of the same key: a cut by size alone would now come out longer.
      const [{ key }] = handled[0].events;
      const more = eventsOfOneMail(8, { key, from: 9 });
      await append(more);

      const seen = new Seen();
      const after = await start();
      await after.log.consume({ consumer: 'sink', batchSize: 20, recordBoundaries: true, handle: seen.handle });
      await seen.all([...handled[0].events, ...more]);
      expect(seen.batches[0]).toEqual(handled[0]);
      expect(seen.batches[1].first).toBe(handled[0].last + 1);
      expect(seen.repeated()).toEqual([]);
    });

    it('delays only the events of a transaction that stays open', async () => {
      const seen = new Seen();
      const { log } = await start();
      await log.consume({ consumer: 'reader', batchSize: 100, handle: seen.handle });
      const stuck = eventsOfOneMail(3);
      const others = eventsOfMails(10, 3);
      await harness.database.transaction(async (tx) => {
        await outbox.append(tx, stuck);
        await append(others);
        await seen.all(others);
        expect(seen.ids().has(stuck[0].event.id)).toBe(false);
      });
      await seen.all(stuck);
      expect(seen.disorder()).toEqual([]);
      expect(seen.repeated()).toEqual([]);
    });

    it('does not deliver events that were rolled back', async () => {
      const seen = new Seen();
      const { log } = await start();
      await log.consume({ consumer: 'reader', batchSize: 100, handle: seen.handle });
      const undone = harness.database.transaction(async (tx) => {
        await outbox.append(tx, eventsOfOneMail(3));
        throw new Error('rolled back');
      });
      await expect(undone).rejects.toThrow('rolled back');
      const events = eventsOfOneMail(1);
      await append(events);
      await seen.all(events);
      expect(seen.events).toHaveLength(1);
    });

    it(`loses nothing while ${WRITERS} writers append ${many} events at once`, async () => {
      const seen = new Seen();
      const { log } = await start();
      await log.consume({ consumer: 'reader', batchSize: 500, handle: seen.handle });
      const written = await Promise.all(
        Array.from({ length: WRITERS }, async (_, writer) => {
          const mails = Array.from({ length: many / WRITERS / 5 }, () => eventsOfOneMail(5));
          for (const [i, events] of mails.entries()) {
            // Some commit late, so that rows become visible in another order than that of their ids.
            await harness.database.transaction(async (tx) => {
              await outbox.append(tx, events.slice(0, 3));
              if ((i + writer) % 10 === 0) await sleep(15);
            });
            await append(events.slice(3));
          }
          return mails.flat();
        }),
      );
      const all = written.flat();
      expect(all).toHaveLength(many);
      await seen.all(all);
      expect(seen.disorder()).toEqual([]);
      expect(seen.repeated()).toEqual([]);
      expect(seen.events.map(({ position }) => position).sort((a, b) => a - b)).toEqual(
        Array.from({ length: many }, (_, i) => i + 1),
      );
    });

    it('finishes the batch in progress when it stops and does not repeat it', async () => {
      const before = await start();
      const finished: string[] = [];
      let begun = 0;
      await before.log.consume({
        consumer: 'slow',
        batchSize: 100,
        handle: async (batch) => {
          begun += batch.events.length;
          await sleep(400);
          finished.push(...batch.events.map(({ event }) => event.id));
        },
      });
      const events = eventsOfOneMail(4);
      await append(events);
      await until(() => begun > 0);
      await stop(before);
      expect(finished).toHaveLength(begun);

      const seen = new Seen();
      const after = await start();
      await after.log.consume({ consumer: 'slow', batchSize: 100, handle: seen.handle });
      const more = eventsOfOneMail(1);
      await append(more);
      await seen.all(more);
      expect(seen.events.filter(({ event }) => finished.includes(event.id))).toEqual([]);
    });
  });
}

/** The batches that a consumer has received. */
class Seen {
  readonly batches: EventBatch[] = [];
  readonly handle = async (batch: EventBatch) => {
    this.batches.push(batch);
  };

  get events(): LoggedEvent[] {
    return this.batches.flatMap((batch) => batch.events);
  }

  ids(): Set<string> {
    return new Set(this.events.map(({ event }) => event.id));
  }

  async all(expected: readonly RoutedEvent[]): Promise<void> {
    await until(() => {
      const ids = this.ids();
      return expected.every(({ event }) => ids.has(event.id));
    });
  }

  repeated(): string[] {
    const ids = this.events.map(({ event }) => event.id);
    return ids.filter((id, i) => ids.indexOf(id) !== i);
  }

  /** Events that came after a later event of their key. */
  disorder(): string[] {
    const latest = new Map<string, number>();
    return this.events.flatMap(({ key, sequence, event }) => {
      const before = latest.get(key) ?? 0;
      latest.set(key, Math.max(before, sequence));
      return sequence < before ? [event.id] : [];
    });
  }
}

function eventsOfOneMail(
  count: number,
  of: { key?: string; from?: number; test?: boolean; domainId?: string | null } = {},
): RoutedEvent[] {
  const { key = newId('em'), from = 1, test = false, domainId = newId('dom') } = of;
  const accountId = newId('acc');
  const at = new Date();
  return Array.from({ length: count }, (_, i) =>
    outbox.event({
      type: 'email.sent',
      data: {
        id: key,
        email_id: key,
        created_at: at.toISOString(),
        message_id: '<1@example.com>',
        from: 'a@example.com',
        to: ['ü@example.net'],
        subject: 'Grüße, "quoted" \\ and 😀',
        tags: { kind: 'suite' },
        recipient: 'ü@example.net',
        attempt: from + i,
      },
      accountId,
      key,
      sequence: from + i,
      domainId,
      test,
      at,
    }),
  );
}

const eventsOfMails = (mails: number, each: number): RoutedEvent[] =>
  Array.from({ length: mails }, () => eventsOfOneMail(each)).flat();

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('did not happen in time');
    await sleep(20);
  }
}
