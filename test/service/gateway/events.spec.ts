import { lowestIdAt, newId, type EmittedType, type RoutedEvent } from '#libs/contracts';
import { outbox, Database } from '#libs/persistence';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { LOG_EVENTS } from '../../support/persistence/test-database.js';
import { until } from '../../support/timing/until.js';

interface Listed {
  object: string;
  has_more: boolean;
  data: { id: string; type: string; created_at: string; data: object }[];
  next_cursor: string | null;
}
type Account = Awaited<ReturnType<GatewayApp['account']>>;

describe('GET /events', () => {
  let gateway: GatewayApp;
  let own: Account;
  let other: Account;
  let events: RoutedEvent[];
  const mails = [newId('em'), newId('em'), newId('em')];

  beforeAll(async () => {
    gateway = await sharedGateway();
    [own, other] = [await gateway.account(), await gateway.account()];
    events = Array.from({ length: 25 }, (_, i) => eventOf(own, i));
    await append(events.flatMap((event, i) => [event, eventOf(other, i)]));
    const { rows } = await gateway.app
      .get(Database)
      .query<{ event_id: string }>(`SELECT event_id FROM ${LOG_EVENTS} ORDER BY position`);
    const place = new Map(rows.map(({ event_id }, i) => [event_id, i]));
    events.sort((a, b) => (place.get(a.event.id) ?? 0) - (place.get(b.event.id) ?? 0));
  });

  function eventOf({ accountId, domainId }: Account, i: number, time?: Date): RoutedEvent {
    const type: EmittedType = i % 5 === 0 ? 'email.bounced' : 'email.delivered';
    const recipient = i % 7 === 6 ? `User${i}@BÜCHER.example` : `user${i}@example.com`;
    const data = { email_id: mails[i % 3], recipient } as never;
    const at = time ?? new Date(Date.UTC(2026, 0, 1, 0, 0, i));
    const fixed = { accountId, key: mails[i % 3], sequence: i + 1, domainId: i % 2 ? domainId : null, test: false, at };
    return outbox.event({ type, data, ...fixed });
  }
  async function append(routed: RoutedEvent[]): Promise<void> {
    const database = gateway.app.get(Database);
    await database.transaction((tx) => outbox.append(tx, routed));
    await until(async () => (await database.query('SELECT 1 FROM outbox')).rows.length === 0);
  }
  const list = async (query: string, key = own.key): Promise<Listed> => {
    const answer = await gateway.agent(key).get(`/events${query}`);
    expect(answer.status).toBe(200);
    return answer.body as Listed;
  };
  const idsOf = ({ data }: Listed) => data.map(({ id }) => id);
  const ids = (of: RoutedEvent[]) => of.map(({ event }) => event.id);
  /** Page after page until there is no more. */
  async function walk(filter: string, limit = 4): Promise<string[]> {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Listed = await list(`?limit=${limit}${filter}${cursor && `&after=${cursor}`}`);
      expect(page.has_more).toBe(page.next_cursor !== null);
      seen.push(...idsOf(page));
      cursor = page.next_cursor;
    }
    return seen;
  }

  it('shows the account its own events, oldest first, as webhooks tell them', async () => {
    const page = await list('?limit=100');
    expect(idsOf(page)).toEqual(ids(events));
    expect(page).toMatchObject({ object: 'list', has_more: false, next_cursor: null });
    const [{ event }] = events;
    expect(page.data[0]).toEqual({ id: event.id, type: event.type, created_at: event.created_at, data: event.data });
    expect(idsOf(await list('?limit=100', other.key))).toHaveLength(25);
  });

  it('goes forward from `after`, and back from `before` without turning the page around', async () => {
    expect(await walk('')).toEqual(ids(events));
    const all = ids(events);
    const back = await list(`?limit=4&before=${all[20]}`);
    expect(idsOf(back)).toEqual(all.slice(16, 20));
    expect(idsOf(await list(`?limit=4&before=${back.next_cursor}`))).toEqual(all.slice(12, 16));
    expect(await list(`?limit=4&before=${all[4]}`)).toMatchObject({ has_more: false, next_cursor: null });
    const newest = await list('?limit=4&before=latest');
    expect(idsOf(newest)).toEqual(all.slice(-4));
    expect(idsOf(await list(`?limit=4&before=${newest.next_cursor}`))).toEqual(all.slice(-8, -4));
  });

  it('filters by types, mail and domain, and by all of them together', async () => {
    const where = (chosen: (event: RoutedEvent) => boolean) => ids(events.filter(chosen));
    const isBounced = ({ event }: RoutedEvent) => event.type === 'email.bounced';
    expect(await walk('&type=email.bounced')).toEqual(where(isBounced));
    expect(await walk('&type=email.bounced,email.delivered')).toEqual(ids(events));
    expect(await walk('&type=email.opened')).toEqual([]);
    expect(await walk(`&email_id=${mails[1]}`)).toEqual(where(({ key }) => key === mails[1]));
    expect(await walk(`&domain_id=${own.domainId}`)).toEqual(where(({ domainId }) => domainId === own.domainId));
    expect(await walk(`&domain_id=${other.domainId}`)).toEqual([]);
    expect(await walk(`&domain_id=${own.domainId}&email_id=${mails[0]}&type=email.bounced`, 1)).toEqual(
      where((one) => isBounced(one) && one.key === mails[0] && one.domainId === own.domainId),
    );
  });

  it('filters by recipient, in whatever spelling', async () => {
    const [plain, international] = [events, events].map((all, i) =>
      all.filter(
        ({ event }) =>
          (event.data as { recipient: string }).recipient === ['user3@example.com', 'User6@BÜCHER.example'][i],
      ),
    );
    expect(plain).toHaveLength(1);
    expect(international).toHaveLength(1);
    for (const written of ['user3@example.com', 'USER3@Example.com'])
      expect(await walk(`&recipient=${written}`)).toEqual(ids(plain));
    for (const written of ['user6@bücher.example', 'user6@xn--bcher-kva.example', 'User6@BÜCHER.example'])
      expect(await walk(`&recipient=${encodeURIComponent(written)}`)).toEqual(ids(international));
    expect(await walk(`&recipient=user3@example.com&email_id=${mails[0]}`)).toEqual(ids(plain));
    expect(await walk('&recipient=user@example.com')).toEqual([]);
  });

  it('filters by time, from either end', async () => {
    const { accountId, key } = await gateway.account();
    const start = Date.now() - 20 * 60_000;
    const minute = (i: number) => new Date(start + i * 60_000).toISOString();
    const timed = Array.from({ length: 10 }, (_, i) => eventOf({ ...own, accountId }, i, new Date(minute(i))));
    await append(timed);
    const between = (from: number, to: number) =>
      timed.filter(({ event }) => event.created_at >= minute(from) && event.created_at < minute(to));
    const found = async (query: string) => new Set(idsOf(await list(query, key)));
    const all = (of: RoutedEvent[]) => new Set(ids(of));
    expect(await found(`?created_after=${minute(6)}`)).toEqual(all(between(6, 10)));
    expect(await found(`?created_before=${minute(4)}`)).toEqual(all(between(0, 4)));
    expect(await found(`?created_after=${minute(2)}&created_before=${minute(5)}`)).toEqual(all(between(2, 5)));
    expect(await found(`?created_after=${minute(2)}&created_before=${minute(5)}&before=latest`)).toEqual(
      all(between(2, 5)),
    );
    expect(await found(`?created_after=${minute(6)}&email_id=${mails[0]}`)).toEqual(
      all(between(6, 10).filter((one) => one.key === mails[0])),
    );
    // Events outside the time are not read, however many there are.
    const future = new Date(Date.now() + 3_600_000).toISOString();
    expect(await list(`?created_after=${future}&limit=1`)).toMatchObject({ data: [], has_more: false });
  });

  it('shows what happens later after the last one seen', async () => {
    const { accountId, key } = await gateway.account();
    const late = (i: number) => eventOf({ ...own, accountId }, i);
    const first = late(1);
    await append([first]);
    const second = late(2);
    await append([second]);
    expect(idsOf(await list(`?after=${first.event.id}`, key))).toEqual(ids([second]));
  });

  it('gives one event, and 404 for what is not the account’s', async () => {
    const { event } = events[3];
    const answer = await gateway.agent(own.key).get(`/events/${event.id}`);
    expect(answer.body).toEqual({
      id: event.id,
      type: event.type,
      created_at: event.created_at,
      data: event.data,
    });
    for (const id of [newId('evt'), 'evt_x', event.id.toUpperCase(), `${event.id}0`])
      expect((await gateway.agent(own.key).get(`/events/${id}`)).status).toBe(404);
    expect((await gateway.agent(other.key).get(`/events/${event.id}`)).status).toBe(404);
  });

  it.each([
    ['after', `after=${newId('evt')}`],
    ['before', `before=${newId('evt')}`],
    ['after', 'after=em_1'],
    ['before', `before=${newId('evt')}&after=${newId('evt')}`],
    ['type', 'type=email.nothing'],
    ['type', 'type='],
    ['email_id', `email_id=${newId('dom')}`],
    ['domain_id', 'domain_id=%00'],
    ['recipient', 'recipient=a%20b'],
    ['created_after', 'created_after=today'],
    ['limit', 'limit=0'],
  ])('answers 400 that names %s for ?%s', async (field, query) => {
    const answer = await gateway.agent(own.key).get(`/events?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ details: [{ field }] });
  });

  it('treats another account’s event like one that does not exist', async () => {
    const [theirs] = (await list('?limit=1', other.key)).data;
    const answers = await Promise.all(
      [theirs.id, newId('evt')].map(async (id) => (await gateway.agent(own.key).get(`/events?after=${id}`)).status),
    );
    expect(answers).toEqual([400, 400]);
  });

  it.each(['after', 'before'])(
    'says of a cursor in %s that the log no longer keeps events of its time',
    async (field) => {
      const old = lowestIdAt('evt', new Date(Date.now() - 31 * 86_400_000));
      const answer = await gateway.agent(own.key).get(`/events?${field}=${old}`);
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body)).toContain('older than the event log keeps');
    },
  );

  it('needs a key that may read mail', async () => {
    const sender = await gateway.account('sending_access');
    expect((await gateway.agent(sender.key).get('/events')).status).toBe(403);
  });

  it('reads in bounded steps: a rare type among many events comes in short pages, none of which misses it', async () => {
    const { accountId, key } = await gateway.account();
    const database = gateway.app.get(Database);
    const many = Array.from({ length: 12_000 }, (_, i) => eventOf({ ...own, accountId }, i * 5 + 1));
    const rare = eventOf({ ...own, accountId }, 59_500);
    many.splice(11_900, 0, rare);
    for (let i = 0; i < many.length; i += 4_000)
      await database.transaction((tx) => outbox.append(tx, many.slice(i, i + 4_000)));
    await until(async () => (await database.query('SELECT 1 FROM outbox')).rows.length === 0);
    const first = await list('?type=email.bounced', key);
    expect(first).toMatchObject({ data: [], has_more: true, next_cursor: expect.stringMatching(/^evt_/) });
    const second = await list(`?type=email.bounced&after=${first.next_cursor}`, key);
    expect(idsOf(second)).toEqual(ids([rare]));
    expect(second.has_more).toBe(false);
    const [{ data }] = [rare.event] as { data: { recipient: string } }[];
    const address = encodeURIComponent(data.recipient);
    const newest = await list(`?recipient=${address}&before=latest`, key);
    expect(idsOf(newest)).toEqual(ids([rare]));
    expect(newest.has_more).toBe(true);
    // The condition on the time leads past the events in between.
    const early = new Date(Date.now() - 2 * 3_600_000).toISOString();
    expect(await list(`?created_before=${early}&before=latest`, key)).toMatchObject({ data: [], has_more: false });
  });
});
