import { setTimeout as pause } from 'node:timers/promises';
import { ApiKeys } from '#libs/accounts';
import { newId } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { Database } from '#libs/persistence';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { LiveClients, resumingReader, watch as watchWith, type Answer } from '../../support/live/live-client.js';
import { happen, type LiveEvent } from '../../support/live/live-events.js';
import { until } from '../../support/timing/until.js';

type Account = Awaited<ReturnType<GatewayApp['account']>>;
let gateway: GatewayApp;
let account: Account;
let clients: LiveClients;

beforeAll(async () => {
  gateway = await sharedGateway();
  clients = new LiveClients(gateway.url);
});
beforeEach(async () => {
  account = await gateway.account();
});
afterEach(() => clients.close());

const database = () => gateway.app.get(Database);
const event = (over: Partial<LiveEvent> = {}): LiveEvent => ({
  accountId: account.accountId,
  domainId: account.domainId,
  ...over,
});
const add = (...events: Partial<LiveEvent>[]) => happen(database(), events.map(event));
const secondDomain = async (): Promise<string> =>
  (await gateway.app.get(SendingDomains).addVouched(account.accountId, `second.${account.domain}`)).id;
const keyOf = async (options: { domain_ids?: string[]; mode?: 'test' }): Promise<string> =>
  (await gateway.app.get(ApiKeys).create(account.accountId, { name: 'x', ...options })).token;

const client = (key = account.key, header?: string) => clients.open(key, header);
const watch = (query: string, variables: Record<string, unknown> = {}, from = client()): Answer[] =>
  watchWith(from, query, variables);

const STATS = 'subscription ($id: ID!) { domainStats(domainId: $id) { domainId accepted delivered } }';
const values = (seen: Answer[], field: string) => seen.map(({ data }) => data?.[field]);
const delivered = (seen: Answer[], field = 'domainStats') =>
  values(seen, field).map((stats) => (stats as { delivered: number } | undefined)?.delivered);

describe('live statistics', () => {
  it('send a snapshot at once and then each change, to all subscribers', async () => {
    await logged(...(await add({ type: 'email.queued' }, {})));
    const seen = [client(), client(account.key, 'authorization')].map((each) =>
      watch(STATS, { id: account.domainId }, each),
    );
    await until(async () => seen.every((answers) => answers.length === 1), { what: 'the snapshots' });
    expect(seen[0]).toEqual([{ data: { domainStats: { domainId: account.domainId, accepted: 1, delivered: 1 } } }]);
    await add({});
    await until(async () => seen.every((answers) => answers.length === 2), { what: 'the change' });
    for (const answers of seen) expect(delivered(answers)).toEqual([1, 2]);
  });

  it('skip no counts, whatever the number of changes', async () => {
    const seen = watch(STATS, { id: account.domainId });
    for (let i = 0; i < 20; i++) await add({}, {}, {});
    await until(async () => delivered(seen).at(-1) === 60, { what: 'all events' });
    expect(delivered(seen)).toEqual([...delivered(seen)].sort((a, b) => Number(a) - Number(b)));
  });

  it('of an account add up the domains that the key sees, without test mail', async () => {
    const second = await secondDomain();
    const QUERY = 'subscription { accountStats { delivered } }';
    await add({}, { domainId: second }, { test: true });
    const seen = [account.key, await keyOf({ domain_ids: [second] }), await keyOf({ mode: 'test' })].map((key) =>
      watch(QUERY, {}, client(key)),
    );
    const last = () => seen.map((answers) => delivered(answers, 'accountStats').at(-1)).join();
    await until(async () => last() === '2,1,0');
    await add({ domainId: second });
    await until(async () => last() === '3,2,0');
    expect(seen[2]).toHaveLength(1);
  });

  it('read nothing about a domain that is watched', async () => {
    const domains = await Promise.all(
      Array.from({ length: 20 }, async (_, i) =>
        gateway.app.get(SendingDomains).addVouched(account.accountId, `d${i}.${account.domain}`),
      ),
    );
    const one = client();
    const seen = domains.slice(0, 19).map(({ id }) => watch(STATS, { id }, one));
    await until(async () => seen.every((answers) => answers.length === 1));
    const query = vi.spyOn(database(), 'query');
    const load = vi.spyOn(gateway.counts, 'minuteCounters');
    const appended = domains.slice(0, 19).map(({ id }) => event({ domainId: id }));
    for (let i = 0; i < 3; i++) await happen(database(), appended);
    await until(async () => seen.every((answers) => delivered(answers).at(-1) === 3));
    const named = query.mock.calls.filter((call) => JSON.stringify(call).includes(account.accountId));
    query.mockRestore();
    expect(named).toEqual([]);
    expect(load).not.toHaveBeenCalled();
    load.mockRestore();
  });

  it('share the work of equal subscriptions, and answer each selection and alias as it was asked', async () => {
    const id = account.domainId;
    const seen = [
      watch(STATS, { id }),
      watch('subscription A($d: ID!) { counts: domainStats(domainId: $d) { n: delivered } }', { d: id }),
      watch(
        'subscription ($id: ID!, $more: Boolean!) { domainStats(domainId: $id) { delivered accepted @include(if: $more) } }',
        { id, more: false },
      ),
      watch(
        'subscription ($id: ID!, $more: Boolean!) { domainStats(domainId: $id) { delivered accepted @include(if: $more) } }',
        { id, more: true },
      ),
    ];
    await until(async () => seen.every((answers) => answers.length === 1));
    expect(seen.map(([{ data }]) => data)).toEqual([
      { domainStats: { domainId: id, accepted: 0, delivered: 0 } },
      { counts: { n: 0 } },
      { domainStats: { delivered: 0 } },
      { domainStats: { delivered: 0, accepted: 0 } },
    ]);
  });

  it('end when the client completes the operation, and the connection stays', async () => {
    const one = client();
    const seen: unknown[] = [];
    const leave = one.subscribe(
      { query: STATS, variables: { id: account.domainId } },
      { next: (answer) => seen.push(answer), error: () => undefined, complete: () => undefined },
    );
    await until(async () => seen.length === 1);
    const other = watch(STATS, { id: account.domainId }, one);
    await until(async () => other.length === 1);
    leave();
    await pause(50);
    await add({});
    await until(async () => other.length === 2);
    expect(seen).toHaveLength(1);
  });
});

const EVENTS = `subscription ($domainId: ID, $emailId: ID, $recipient: String, $types: [String!], $after: ID) {
  emailEvents(domainId: $domainId, emailId: $emailId, recipient: $recipient, types: $types, after: $after)
    { id type createdAt emailId domainId recipient position data } }`;
const eventsOf = (seen: Answer[]) => values(seen, 'emailEvents') as { id: string; type: string; position: string }[];
const idsOf = (seen: Answer[]) => eventsOf(seen).map(({ id }) => id);
/** A stream without a cursor does not tell when it begins. */
const started = () => pause(300);

describe('live events', () => {
  it('are every event from now on, as REST shows it', async () => {
    await logged(...(await add({})));
    const seen = watch(EVENTS);
    await started();
    const emailId = newId('em');
    const [id] = await add({ emailId });
    await until(async () => seen.length === 1);
    const rest = (await gateway.agent(account.key).get(`/events/${id}`)).body as Record<string, unknown>;
    expect(eventsOf(seen)[0]).toEqual({
      id,
      type: rest['type'],
      createdAt: rest['created_at'],
      emailId,
      domainId: account.domainId,
      recipient: 'ada@example.com',
      position: expect.stringMatching(/^\d+$/) as string,
      data: rest['data'],
    });
  });

  it('can be selected by domain, email, recipient and type, and are those that the key sees', async () => {
    const second = await secondDomain();
    const accepted = await gateway
      .agent(account.key)
      .post('/emails')
      .send({ from: `a@${account.domain}`, to: 'b@example.com', subject: 'Hi', text: 'x' });
    const emailId = (accepted.body as { id: string }).id;
    await until(async () => {
      const { body } = await gateway.agent(account.key).get(`/events?email_id=${emailId}`);
      return (body as { data: unknown[] }).data.length > 0;
    });
    const seen = {
      all: watch(EVENTS),
      domain: watch(EVENTS, { domainId: second }),
      email: watch(EVENTS, { emailId }),
      recipient: watch(EVENTS, { recipient: 'GRACE@bücher.example' }),
      types: watch(EVENTS, { types: ['email.bounced', 'email.failed'] }),
      limited: watch(EVENTS, {}, client(await keyOf({ domain_ids: [second] }))),
      test: watch(EVENTS, {}, client(await keyOf({ mode: 'test' }))),
    };
    await started();
    const [ofSecond] = await add({ domainId: second });
    const [ofEmail] = await add({ emailId });
    const [toGrace] = await add({ recipient: 'Grace@xn--bcher-kva.example' });
    const [bounced] = await add({ type: 'email.bounced' });
    const [test] = await add({ test: true });
    await until(async () => seen.all.length >= 5 && seen.test.length === 1);
    // Events of different emails have no order among each other.
    expect(idsOf(seen.all)).toEqual(expect.arrayContaining([ofSecond, ofEmail, toGrace, bounced, test]));
    expect(idsOf(seen.domain)).toEqual([ofSecond]);
    expect(idsOf(seen.email)).toEqual([ofEmail]);
    expect(idsOf(seen.recipient)).toEqual([toGrace]);
    expect(idsOf(seen.types)).toEqual([bounced]);
    expect(idsOf(seen.limited)).toEqual([ofSecond]);
    expect(idsOf(seen.test)).toEqual([test]);
  });

  it('continue after an event, through more than a page of history, with the same selection', async () => {
    const [first] = await add({});
    const rest: string[] = [];
    for (let i = 0; i < 3; i++) rest.push(...(await add(...Array.from({ length: 90 }, () => ({})))));
    const [bounced] = await add({ type: 'email.bounced' });
    await logged(first);
    const [all, selected] = [
      watch(EVENTS, { after: first }),
      watch(EVENTS, { after: first, types: ['email.bounced'] }),
    ];
    await until(async () => all.length === 271 && selected.length === 1);
    const [last] = await add({ type: 'email.bounced' });
    await until(async () => all.length === 272 && selected.length === 2);
    expect(idsOf(all)).toEqual([...rest, bounced, last]);
    expect(idsOf(selected)).toEqual([bounced, last]);
  });

  it.each<[string, (other: Account) => Promise<Record<string, unknown>>, Record<string, unknown>]>([
    ['an unknown event', async () => ({ after: newId('evt') }), { code: 'bad_request', field: 'after' }],
    ['an id that is none', async () => ({ after: 'evt_1' }), { code: 'bad_request', field: 'after' }],
    [
      'an event of another account',
      async (other) => ({ after: (await happen(database(), [{ ...other }]))[0] }),
      { code: 'bad_request', field: 'after' },
    ],
    ['an unknown type', async () => ({ types: ['email.eaten'] }), { code: 'bad_request', field: 'types' }],
    ['no type', async () => ({ types: [] }), { code: 'bad_request', field: 'types' }],
    ['an email id that is none', async () => ({ emailId: 'x' }), { code: 'bad_request', field: 'emailId' }],
    ['an unknown email', async () => ({ emailId: newId('em') }), { code: 'not_found' }],
    ['a domain of another account', async (other) => ({ domainId: other.domainId }), { code: 'not_found' }],
  ])('refuse %s', async (_, variables, expected) => {
    const seen = watch(EVENTS, await variables(await gateway.account()));
    await until(async () => seen.length === 1);
    const { field, ...rest } = expected;
    const details = field === undefined ? {} : { details: [{ field }] };
    expect(seen[0].errors?.[0].extensions).toMatchObject({ ...rest, ...details });
  });

  it('refuse a domain that the key does not see', async () => {
    const limited = client(await keyOf({ domain_ids: [await secondDomain()] }));
    const seen = watch(EVENTS, { domainId: account.domainId }, limited);
    await until(async () => seen.length === 1);
    expect(seen[0].errors?.[0].extensions).toMatchObject({ name: 'restricted_api_key' });
  });

  it('are complete and come once for a client that resumes after each of many forced disconnects', async () => {
    const [first] = await add({});
    await logged(first);
    const reader = resumingReader(clients, account.key, first);
    const expected: string[] = [];
    for (let i = 0; i < 100; i++) {
      expected.push(...(await add(...Array.from({ length: 10 }, () => ({})))));
      if (i % 5 === 0) reader.cut();
    }
    await until(async () => reader.seen.length >= expected.length, { what: 'all events' });
    reader.stop();
    expect(reader.seen).toEqual(expected);
    expect(reader.cuts()).toBeGreaterThanOrEqual(15);
  });
});

/** Waits until these events of the account are in the log. */
async function logged(...ids: string[]): Promise<void> {
  for (const id of ids)
    await until(async () => (await gateway.agent(account.key).get(`/events/${id}`)).status === 200, { what: id });
}

describe('live queues', () => {
  it('show what waits, and change when it does', async () => {
    const QUERY = 'subscription { queues { domain recipients waitingFor reason since } }';
    const seen = watch(QUERY);
    await until(async () => seen.length === 1);
    expect(seen[0].data).toEqual({ queues: [] });
    await gateway
      .agent(account.key)
      .post('/emails')
      .send({ from: `a@${account.domain}`, to: 'b@waiting.example', subject: 'Hi', text: 'x' });
    await until(async () => seen.length > 1);
    expect(seen.at(-1)?.data?.['queues']).toMatchObject([
      { domain: 'waiting.example', recipients: 1, waitingFor: 'worker' },
    ]);
  });
});
