import type { AccountHistory, LogTail } from '#libs/bus';
import { newId, Refusal, wholeAccount, type LoggedEvent, type Page, type PageRequest } from '#libs/contracts';
import { describe, expect, it } from 'vitest';
import { EventFeed, type EventStream } from './event-feed.js';
import { SlowReader } from './live-stream.js';

const VISIBILITY = wholeAccount('acc_a');
const settled = () => new Promise((resolve) => setTimeout(resolve, 1));

/** A log in memory, with its tail and its pages. */
class World {
  readonly log: LoggedEvent[] = [];
  listener: ((events: readonly LoggedEvent[]) => void) | undefined;
  /** Called before each page is read. */
  beforePage: () => void = () => undefined;
  pages = 0;
  readonly feed = new EventFeed(
    {
      follow: async (listener: (events: readonly LoggedEvent[]) => void) => {
        this.listener = listener;
        return { position: this.log.length, stop: () => (this.listener = undefined) };
      },
    } as unknown as LogTail,
    { page: (_: unknown, request: PageRequest) => this.page(request) } as unknown as AccountHistory,
  );

  add(count: number, accountId = 'acc_a'): string[] {
    const events = Array.from({ length: count }, (_, i) => {
      const event = { id: newId('evt'), account_id: accountId, type: 'email.delivered' };
      return { event, domainId: 'dom_a', key: 'em_a', position: this.log.length + 1 + i } as unknown as LoggedEvent;
    });
    this.log.push(...events);
    this.listener?.(events);
    return events.map(({ event }) => event.id);
  }

  private async page({ after, limit }: PageRequest): Promise<Page<LoggedEvent> | null> {
    this.pages += 1;
    this.beforePage();
    const from = this.log.findIndex(({ event }) => event.id === after);
    if (from < 0) return null;
    const data = this.log.slice(from + 1, from + 1 + limit);
    const has_more = this.log.length > from + 1 + limit;
    return { object: 'list', data, has_more, next_cursor: has_more ? (data.at(-1)?.event.id ?? null) : null };
  }
}

/** Takes all that comes, as a client that reads. */
async function read(stream: EventStream, count: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const { event } of stream) if (ids.push(event.id) >= count) break;
  return ids;
}

describe('EventFeed', () => {
  it('gives events from now on, of this account only, and follows the log only while somebody reads', async () => {
    const world = new World();
    world.add(3);
    const stream = await world.feed.open(VISIBILITY, {}, undefined);
    world.add(2, 'acc_b');
    const ids = world.add(2);
    expect(await read(stream, 2)).toEqual(ids);
    await settled();
    expect(world.listener).toBeUndefined();
  });

  it.each([0, 1, 99, 100, 101, 350])(
    'continues after an event with %i newer ones, then with those that come',
    async (n) => {
      const world = new World();
      const [first] = world.add(1);
      const ids = world.add(n);
      const stream = await world.feed.open(VISIBILITY, {}, first);
      ids.push(...world.add(5));
      const seen = read(stream, n + 8);
      await settled();
      ids.push(...world.add(3));
      expect(await seen).toEqual(ids);
    },
  );

  it('has no gap and no repetition if more events come during the history than it collects', async () => {
    const world = new World();
    const [first] = world.add(1);
    const ids = world.add(300);
    world.beforePage = () => {
      if (world.pages === 3) ids.push(...world.add(4_000));
    };
    const stream = await world.feed.open(VISIBILITY, {}, first);
    const seen = read(stream, 4_310);
    await settled();
    while (world.pages < 43) await settled();
    await settled();
    ids.push(...world.add(10));
    expect(await seen).toEqual(ids);
  });

  it('refuses an unknown event and does not follow the log for it', async () => {
    const world = new World();
    await expect(world.feed.open(VISIBILITY, {}, newId('evt'))).rejects.toThrow(Refusal);
    await settled();
    expect(world.listener).toBeUndefined();
  });

  it('ends for a reader that is too slow, with the event after which it can go on', async () => {
    const world = new World();
    const stream = await world.feed.open(VISIBILITY, {}, undefined);
    const ids = world.add(2);
    const taken = stream.take();
    expect(taken?.event.id).toBe(ids[0]);
    world.add(5_000);
    expect(stream.failure()).toBeInstanceOf(SlowReader);
    expect(stream.take()).toBeUndefined();
    expect(stream.resumeHint(taken)).toBe(`resume after ${ids[0]}`);
    expect(Buffer.byteLength(stream.resumeHint(taken))).toBeLessThanOrEqual(123);
    stream.close();
  });

  it('reads no more history than a slow reader takes', async () => {
    const world = new World();
    const [first] = world.add(1);
    world.add(10_000);
    const stream = await world.feed.open(VISIBILITY, {}, first);
    for (let i = 0; i < 10; i++) await settled();
    expect(world.pages).toBe(1);
    stream.close();
  });
});
