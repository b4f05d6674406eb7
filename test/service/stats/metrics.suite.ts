import { newId, wholeAccount, type BounceType, type EmittedType, type LoggedEvent } from '#libs/contracts';
import type { Granularity, Metric, MetricsResult, MetricsQuery, StatsStore } from '#libs/stats';
import { statsWords } from '#libs/stats';
import { beforeAll, describe, expect, it } from 'vitest';
import { randomNumbers } from '../../support/samples/random-numbers.js';

const DAY_MS = 86_400_000;
const BEGIN = Date.parse('2026-01-20T00:00:00.000Z');
const SPAN_MS = 70 * DAY_MS;
const EVENTS = 6_000;

/** One generated fact: what the model counts, and the event that the store is given for it. */
interface Fact {
  at: number;
  counter: string;
  domainId: string;
  emailId: string;
  recipient: string;
  provider: string;
  tags: Record<string, string>;
  ip: string;
  host: string;
  apiKeyId: string;
  bounceType: string;
  bounceClass: string;
  isBot: boolean;
  latencyMs: number;
}

const KINDS: { type: EmittedType; counter: string; data?: object }[] = [
  { type: 'email.queued', counter: 'accepted' },
  { type: 'email.sent', counter: 'sent', data: { attempt: 1 } },
  { type: 'email.sent', counter: '', data: { attempt: 2 } },
  { type: 'email.scheduled', counter: '' },
  { type: 'email.delivered', counter: 'delivered' },
  { type: 'email.failed', counter: 'delivery_delayed', data: { failure_type: 'temporary' } },
  { type: 'email.failed', counter: 'failed', data: { failure_type: 'final' } },
  { type: 'email.bounced', counter: 'bounced' },
  { type: 'email.complained', counter: 'complained' },
  { type: 'email.suppressed', counter: 'suppressed' },
  { type: 'email.canceled', counter: 'canceled' },
  { type: 'email.opened', counter: 'opened' },
  { type: 'email.clicked', counter: 'clicked' },
];
const PLACES = [
  ['ann@gmail.com', 'google'],
  ['bob@Outlook.fr', 'microsoft'],
  ['eve@yahoo.co.uk', 'yahoo'],
  ['joe@corp.example', 'corp.example'],
  ['Slow+1@sim.Postloft.test', 'sim.postloft.test'],
] as const;

/** `GET /stats` over whatever engine, against a model that counts the same facts one by one. */
export function statsMetricsSuite(engine: string, store: () => StatsStore): void {
  describe(`metrics over ${engine}`, { timeout: 60_000 }, () => {
    const next = randomNumbers(20_260_101);
    const pick = <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)];
    const account = newId('acc');
    const domains = [newId('dom'), newId('dom'), newId('dom')];
    const mails = Array.from({ length: 400 }, () => newId('em'));
    // Roll-ups rely on it that all events of a message have its tags.
    const tagsOf = new Map(
      mails.map((id): [string, Record<string, string>] => [
        id,
        next() < 0.3 ? {} : { campaign: pick(['spring', 'summer', `o'dd "{x}\\`]) },
      ]),
    );
    const keys = [newId('key'), newId('key'), ''];
    const keyOf = new Map(mails.map((id) => [id, pick(keys)]));
    const facts: Fact[] = [];

    function fact(position: number): LoggedEvent {
      const { type, counter, data } = pick(KINDS);
      const [recipient, provider] = pick(PLACES);
      const bounced = type === 'email.bounced';
      const emailId = pick(mails);
      const one: Fact = {
        at: BEGIN + Math.floor(next() * SPAN_MS),
        counter,
        domainId: pick(domains),
        emailId,
        recipient,
        provider,
        tags: tagsOf.get(emailId) ?? {},
        ip: ['delivered', 'bounced'].includes(counter) && next() < 0.8 ? pick(['192.0.2.1', '2001:db8::1']) : '',
        host: '',
        apiKeyId: keyOf.get(emailId) ?? '',
        bounceType: bounced ? pick<BounceType>(['hard', 'soft', 'undetermined']) : '',
        bounceClass: bounced ? pick(['invalid_recipient', 'quota', 'policy']) : '',
        isBot: ['opened', 'clicked'].includes(counter) && next() < 0.3,
        latencyMs: counter === 'delivered' ? Math.floor(next() * 10_000) : 0,
      };
      one.host = one.ip && `mx${one.ip.length}.example`;
      facts.push(one);
      const event = eventOf(one, { account, type, data });
      return {
        event,
        key: one.emailId,
        sequence: 1,
        domainId: one.domainId,
        apiKeyId: one.apiKeyId || null,
        test: false,
        position,
      } as unknown as LoggedEvent;
    }

    beforeAll(async () => {
      const first = 50_000_000;
      const events = Array.from({ length: EVENTS }, (_, i) => fact(first + i));
      await store().insert({ source: 'log', token: `metrics:${account}`, events });
      const foreign = events.slice(0, 50).map((one, i) => ({
        ...one,
        position: first + EVENTS + i,
        event: { ...one.event, id: newId('evt'), account_id: newId('acc') },
      }));
      await store().insert({ source: 'log', token: `metrics:${account}:foreign`, events: foreign });
    });

    const query = (over: Partial<MetricsQuery> = {}): MetricsQuery => ({
      visibility: wholeAccount(account),
      from: new Date(BEGIN),
      to: new Date(BEGIN + SPAN_MS),
      timezone: 'UTC',
      granularity: 'day',
      metrics: statsWords.metrics,
      dimensions: [],
      groupBy: [],
      percentiles: [],
      domainIds: null,
      emailIds: null,
      ...over,
    });
    const flat = (answer: MetricsResult) =>
      (answer.rows ?? []).map(({ values, period, ...place }) => ({
        place: JSON.stringify({ ...(period ? { period: period.getTime() } : {}), ...sorted(place) }),
        values,
      }));

    /** Compares totals and all rows with the model; returns how many rows there were. */
    async function agree(over: Partial<MetricsQuery>): Promise<number> {
      const of = query(over);
      const answer = await store().metrics(of);
      const chosen = facts.filter((one) => isChosen(one, of));
      expect(answer.totals).toEqual(valuesOf(chosen, of));
      if (of.dimensions.length + of.groupBy.length === 0) {
        expect(answer.rows).toBeNull();
        return 0;
      }
      const groups = new Map<string, Fact[]>();
      for (const one of chosen.filter(({ counter }) => counter !== '')) {
        const place = JSON.stringify(placeOf(one, of));
        groups.set(place, [...(groups.get(place) ?? []), one]);
      }
      const shown = flat(answer);
      expect(new Set(shown.map(({ place }) => place)).size).toBe(shown.length);
      const empty = valuesOf([], of);
      for (const { place, values } of shown)
        expect({ place, values }).toEqual({ place, values: valuesOf(groups.get(place) ?? [], of) });
      const missing = [...groups.keys()].filter((place) => !shown.some((row) => row.place === place));
      expect(missing).toEqual([]);
      const extra = shown.filter(({ place }) => !groups.has(place));
      if (of.dimensions.join() !== 'period' || of.groupBy.length > 0) expect(extra).toEqual([]);
      for (const { values } of extra) expect(values).toEqual(empty);
      return shown.length;
    }

    it('agrees with the model in every total and rate, over whole and over broken windows', async () => {
      await agree({});
      for (let i = 0; i < 12; i++) {
        const [a, b] = [next(), next()].sort((x, y) => x - y).map((share) => BEGIN + Math.floor(share * SPAN_MS));
        await agree({ from: new Date(a), to: new Date(b + 1), metrics: i % 2 ? statsWords.metrics : exactOnly });
      }
      await agree({ from: new Date(BEGIN - 400 * DAY_MS), to: new Date(BEGIN) });
    });

    it.each<[Granularity, string]>([
      ['hour', 'UTC'],
      ['hour', 'Asia/Kathmandu'],
      ['day', 'UTC'],
      ['day', 'America/New_York'],
      ['day', 'Europe/Berlin'],
      ['week', 'Australia/Sydney'],
      ['month', 'Pacific/Auckland'],
    ])('puts each event into its %s of %s, and has a row for each of them', async (granularity, timezone) => {
      const rows = await agree({ granularity, timezone, dimensions: ['period'], metrics: exactOnly });
      const length = { minute: SPAN_MS / 60_000, hour: SPAN_MS / 3_600_000, day: 70, week: 10, month: 3 }[granularity];
      expect(rows).toBeGreaterThanOrEqual(length);
      expect(rows).toBeLessThanOrEqual(length + 1);
      await agree({ granularity, timezone, dimensions: ['period'], from: new Date(BEGIN + 12_345_678) });
    });

    it.each<[string, Partial<MetricsQuery>]>([
      ['domain', { dimensions: ['domain'] }],
      ['domain, from the roll-up', { dimensions: ['domain'], metrics: ['accepted', 'bounce_rate'] }],
      ['mail', { dimensions: ['email'] }],
      ['period and domain', { dimensions: ['period', 'domain'], granularity: 'week' }],
      ['provider', { groupBy: ['provider'] }],
      ['server', { groupBy: ['ip'] }],
      ['host', { groupBy: ['host'], dimensions: ['period'], granularity: 'week', timezone: 'Asia/Kathmandu' }],
      ['API key', { groupBy: ['api_key'], dimensions: ['domain'] }],
      ['bounce class', { groupBy: ['bounce_class'], metrics: ['bounced', 'bounced_permanent'] }],
      ['tag', { groupBy: ['tag:campaign'] }],
      ['two tags, one of which nobody has', { groupBy: ['tag:campaign', 'tag:none'] }],
      [
        'all at once',
        { dimensions: ['period', 'domain'], granularity: 'month', groupBy: ['provider', 'tag:campaign', 'ip'] },
      ],
    ])('breaks down by %s', async (_, over) => {
      expect(await agree(over)).toBeGreaterThan(0);
      // With edges that only single events have.
      const broken = { from: new Date(BEGIN + 12_345_678), to: new Date(BEGIN + SPAN_MS - 12_345_678) };
      expect(await agree({ ...broken, ...over })).toBeGreaterThan(0);
    });

    it('keeps to the domains and the mails that are named, and to none when the list is empty', async () => {
      await agree({ domainIds: domains.slice(0, 2), dimensions: ['domain'] });
      await agree({ domainIds: [domains[0]], metrics: exactOnly });
      await agree({ emailIds: mails.slice(0, 5), dimensions: ['email'] });
      await agree({ domainIds: [] });
      await agree({ domainIds: [`x' OR 1=1 --`], emailIds: [`\\'"{account:String}`] });
    });

    it('keeps to the domains that the key sees, whatever is named, and has zeros for a test key', async () => {
      const visibility = { ...wholeAccount(account), domainIds: new Set(domains.slice(0, 2)) };
      for (const metrics of [statsWords.metrics, exactOnly]) {
        const of = { dimensions: ['domain'] as const, metrics };
        const seen = await store().metrics(query({ ...of, visibility }));
        expect(seen).toEqual(await store().metrics(query({ ...of, domainIds: domains.slice(0, 2) })));
        const named = await store().metrics(query({ ...of, visibility, domainIds: domains.slice(1) }));
        expect(named).toEqual(await store().metrics(query({ ...of, domainIds: [domains[1]] })));
        const test = query({ dimensions: ['period'], visibility: { ...wholeAccount(account), mode: 'test' } });
        const { totals, rows } = await store().metrics({ ...test, metrics });
        expect(totals).toEqual(valuesOf([], { ...test, metrics }));
        expect(rows?.length).toBeGreaterThanOrEqual(70);
        expect(rows?.every(({ values }) => Object.values(values).every((value) => value === 0 || value === null))).toBe(
          true,
        );
      }
    });

    it('gives percentiles of the time to delivery, near the exact ones, and null where nothing was delivered', async () => {
      const percentiles = ['p50', 'p95', 'p99'] as const;
      const { totals, approximate } = await store().metrics(query({ metrics: ['delivered'], percentiles }));
      const latencies = facts.filter(({ counter }) => counter === 'delivered').map(({ latencyMs }) => latencyMs);
      latencies.sort((a, b) => a - b);
      for (const [name, share] of [
        ['p50', 0.5],
        ['p95', 0.95],
        ['p99', 0.99],
      ] as const)
        expect(
          Math.abs((totals.latency_ms?.[name] ?? -1) - latencies[Math.floor(share * latencies.length)]),
        ).toBeLessThan(250);
      expect(approximate).toEqual(['latency_ms']);
      const none = await store().metrics(query({ percentiles: ['p50'], emailIds: ['em_none'] }));
      expect(none.totals.latency_ms).toEqual({ p50: null });
    });

    it('names what is approximate', async () => {
      const named = async (metrics: Metric[]) => (await store().metrics(query({ metrics }))).approximate;
      expect(await named(['delivered', 'bounce_rate'])).toEqual([]);
      expect(await named(['unique_opened', 'open_rate', 'clicked_of_settled', 'clicked', 'settled'])).toEqual([
        'unique_opened',
        'open_rate',
        'clicked_of_settled',
      ]);
    });

    it('refuses an answer that nobody would read', async () => {
      const dimensions = ['period', 'email'] as const;
      await expect(
        store().metrics(query({ dimensions, granularity: 'hour', groupBy: ['provider'] })),
      ).rejects.toMatchObject({
        details: [{ code: 'too_many_rows' }],
      });
      const endless = { from: new Date(0), granularity: 'hour', dimensions: ['period'] } as const;
      await expect(store().metrics(query(endless))).rejects.toMatchObject({ code: 'invalid_parameter' });
    });
  });
}

function eventOf(one: Fact, of: { account: string; type: EmittedType; data?: object }): object {
  return {
    id: newId('evt'),
    account_id: of.account,
    type: of.type,
    created_at: new Date(one.at).toISOString(),
    data: {
      email_id: one.emailId,
      recipient: one.recipient,
      tags: one.tags,
      ip: one.ip || null,
      mx: one.host || null,
      bounce_type: one.bounceType || undefined,
      bounce_class: one.bounceClass || undefined,
      is_bot: one.isBot,
      queued_at: new Date(one.at - one.latencyMs).toISOString(),
      ...of.data,
    },
  };
}

const exactOnly = statsWords.metrics.filter((name) => !/^(unique_|(open|click)(_rate|ed_of))/.test(name));
const sorted = (place: object) => Object.fromEntries(Object.entries(place).sort(([a], [b]) => (a < b ? -1 : 1)));

function isChosen({ at, domainId, emailId }: Fact, of: MetricsQuery): boolean {
  const isInTime = at >= of.from.getTime() && at < of.to.getTime();
  return isInTime && (of.domainIds?.includes(domainId) ?? true) && (of.emailIds?.includes(emailId) ?? true);
}

const GROUP_OF: Record<string, (one: Fact) => object> = {
  provider: ({ provider }) => ({ provider }),
  ip: ({ ip }) => ({ ip: ip || null }),
  host: ({ host }) => ({ host: host || null }),
  api_key: ({ apiKeyId }) => ({ apiKeyId: apiKeyId || null }),
  bounce_class: ({ bounceClass }) => ({ bounceClass: bounceClass || null }),
};

function placeOf(one: Fact, of: MetricsQuery): object {
  const tags = of.groupBy.filter((group) => group.startsWith('tag:')).map((group) => group.slice(4));
  const groups = of.groupBy.map((group) => GROUP_OF[group]?.(one) ?? {});
  return {
    ...(of.dimensions.includes('period') ? { period: beginOf(one.at, of) } : {}),
    ...sorted({
      ...(of.dimensions.includes('domain') ? { domainId: one.domainId } : {}),
      ...(of.dimensions.includes('email') ? { emailId: one.emailId } : {}),
      ...(Object.assign({}, ...groups) as object),
      ...(tags.length > 0 ? { tags: Object.fromEntries(tags.map((key) => [key, one.tags[key] ?? null])) } : {}),
    }),
  };
}

const begins = new Map<string, number>();

/** Walks back in quarters of an hour, the slow and certain way, to where local time begins the period. */
function beginOf(at: number, { granularity, timezone }: MetricsQuery): number {
  const local = (ms: number) => labelOf(ms, timezone);
  const label = (ms: number) => {
    const { date, hour } = local(ms);
    if (granularity === 'hour') return `${date} ${hour}`;
    return granularity === 'month' ? date.slice(0, 7) : date;
  };
  const known = `${timezone} ${granularity} ${label(at)}`;
  let begin = begins.get(known);
  if (begin !== undefined) return begin;
  begin = Math.floor(at / 900_000) * 900_000;
  while (granularity === 'week' && local(begin).weekday !== 'Mon') begin -= 900_000;
  const mine = label(begin);
  while (label(begin - 900_000) === mine) begin -= 900_000;
  begins.set(known, begin);
  return begin;
}

const formats = new Map<string, Intl.DateTimeFormat>();
function labelOf(ms: number, timeZone: string) {
  let format = formats.get(timeZone);
  if (!format) {
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', weekday: 'short' } as const;
    formats.set(timeZone, (format = new Intl.DateTimeFormat('en-US', { ...parts, timeZone, hourCycle: 'h23' })));
  }
  const at = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  return { date: `${at['year']}-${at['month']}-${at['day']}`, hour: at['hour'], weekday: at['weekday'] };
}

function valuesOf(all: Fact[], { metrics }: MetricsQuery): object {
  const count = (name: string, chosen = all): number => {
    if (name === 'unique_opened' || name === 'unique_clicked') {
      const counter = name.slice('unique_'.length);
      const who = chosen.filter((one) => one.counter === counter && !one.isBot);
      return new Set(who.map((one) => `${one.emailId} ${one.recipient}`)).size;
    }
    const bounceType = { bounced_permanent: 'hard', bounced_transient: 'soft', bounced_undetermined: 'undetermined' }[
      name
    ];
    if (bounceType) return chosen.filter((one) => one.bounceType === bounceType).length;
    return chosen.filter((one) => one.counter === name).length;
  };
  const ratio = (part: number, whole: number) => (whole === 0 ? null : Number((part / whole).toFixed(6)));
  const share = (part: string, whole: string) => ratio(count(part), count(whole));
  const real = all.filter(({ provider }) => provider !== 'sim.postloft.test');
  const settledOf = (some: Fact[]) => some.filter(({ counter }) => /^(delivered|bounced|failed)$/.test(counter)).length;
  const settled = settledOf(real);
  const ofSettled = (name: string) => ratio(Math.min(count(name, real), settled), settled);
  const derived: Record<string, () => number | null> = {
    delivery_rate: () => share('delivered', 'sent'),
    bounce_rate: () => share('bounced', 'sent'),
    complaint_rate: () => share('complained', 'delivered'),
    unsubscribe_rate: () => share('unsubscribed', 'delivered'),
    open_rate: () => share('unique_opened', 'delivered'),
    click_rate: () => share('unique_clicked', 'delivered'),
    settled: () => settled,
    simulated: () => settledOf(all) - settled,
    opened_of_settled: () => ofSettled('unique_opened'),
    clicked_of_settled: () => ofSettled('unique_clicked'),
    ...Object.fromEntries(
      ['delivered', 'bounced', 'complained'].map((name) => [`${name}_of_settled`, () => ofSettled(name)]),
    ),
  };
  return Object.fromEntries(metrics.map((name) => [name, name in derived ? derived[name]() : count(name)]));
}
