import type { Principal } from '#libs/accounts';
import { newId, wholeAccount, type EmittedType } from '#libs/contracts';
import { loadConfig, Log } from '#libs/kernel';
import { StatsStore } from '#libs/stats';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DomainTrafficLoader } from '../../../apps/gateway/src/graphql/domains/domain-traffic.js';
import type { GraphqlContext } from '../../../apps/gateway/src/graphql/graphql-caller.js';
import { accountFigures, figuresOf } from '../../../apps/gateway/src/graphql/operator/account-figures.js';
import { UsageResolver } from '../../../apps/gateway/src/graphql/usage/usage.resolver.js';
import { metricsResponse } from '../../../apps/gateway/src/rest/stats/metrics-response.js';
import { KEEP_ALL, StatsEvents } from '../../support/stats/stats-events.js';

const silent = new Log({ error() {}, warn() {}, info() {} } as never);
const SIMULATOR = 'sim.postloft.test';

/** What happens to one recipient after it was accepted. */
const ENDINGS: Record<string, [type: EmittedType, data: object][]> = {
  delivered: [['email.delivered', {}]],
  bounced: [['email.bounced', { bounce_type: 'hard', bounce_class: 'invalid_recipient' }]],
  failed: [['email.failed', { failure_type: 'final' }]],
  deferred: [['email.failed', { failure_type: 'temporary' }]],
  suppressed: [['email.suppressed', {}]],
  complained: [
    ['email.delivered', {}],
    ['email.complained', {}],
  ],
  'opened twice': [
    ['email.delivered', {}],
    ['email.opened', {}],
    ['email.opened', {}],
  ],
  'opened by a bot': [
    ['email.delivered', {}],
    ['email.opened', { is_bot: true }],
  ],
  clicked: [
    ['email.delivered', {}],
    ['email.clicked', {}],
  ],
};

/** How many recipients end how, at which domain, and whether with a test key. */
const MIX: [count: number, ending: string, at?: { domain?: string; test?: boolean }][] = [
  [150, 'delivered'],
  [20, 'bounced'],
  [10, 'failed'],
  [7, 'deferred'],
  [5, 'suppressed'],
  [2, 'complained'],
  [10, 'opened twice'],
  [4, 'opened by a bot'],
  [4, 'clicked'],
  [30, 'bounced', { domain: SIMULATOR }],
  [9, 'complained', { domain: SIMULATOR }],
  [3, 'clicked', { domain: SIMULATOR }],
  [40, 'bounced', { test: true }],
];

/** The table of docs/statistics.md, applied to the mix by hand. */
const RATES = {
  settled: 200,
  simulated: 42,
  delivered_of_settled: 0.85,
  bounced_of_settled: 0.1,
  complained_of_settled: 0.01,
  opened_of_settled: 0.05,
  clicked_of_settled: 0.02,
};
const METRICS = Object.keys(RATES).join(',');

describe('rates of a known mix', () => {
  let dataDir: string;
  let store: StatsStore;
  const events = new StatsEvents();
  const caller = wholeAccount(events.accountId) as Principal;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'rates-'));
    store = new StatsStore(loadConfig('standalone', { DATA_DIR: dataDir, ...KEEP_ALL }), silent);
    const at = new Date(Date.now() - 1_000);
    const sent = MIX.flatMap(([count, ending, { domain = 'example.com', test = false } = {}]) =>
      Array.from({ length: count }, () => {
        const data = { email_id: newId('em'), recipient: `${newId('evt')}@${domain}` };
        return [['email.queued', {}] as const, ...ENDINGS[ending]].map(([type, more]) => {
          const event = events.make({ type, at, test, data: { ...data, ...more } });
          // Unique opens are recipients of an email.
          return { ...event, key: data.email_id };
        });
      }).flat(),
    );
    await store.insert({ source: 'log', token: 'mix', events: sent });
  }, 120_000);
  afterAll(async () => {
    await store.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('are those of the table in GET /stats, in its periods and for the domain', async () => {
    const answer = await metricsResponse(store, caller, { metrics: METRICS, dimensions: 'domain' });
    expect(answer.totals).toEqual(RATES);
    expect(answer.data).toEqual([{ domain_id: events.domainId, ...RATES }]);
    const { data = [] } = await metricsResponse(store, caller, { metrics: METRICS, granularity: 'day' });
    expect(data).toHaveLength(7);
    expect(data.at(-1)).toMatchObject(RATES);
  });

  it('are those of the table by provider, with the simulator apart', async () => {
    const { data } = await metricsResponse(store, caller, { metrics: 'settled,simulated', group_by: 'provider' });
    expect(data).toEqual([
      { provider: 'example.com', settled: 200, simulated: 0 },
      { provider: SIMULATOR, settled: 0, simulated: 42 },
    ]);
  });

  it('are those of the table in the usage by month', async () => {
    const months = await new UsageResolver(store).months(caller);
    expect(months.at(-1)).toMatchObject({
      settled: 200,
      simulated: 42,
      deliveredOfSettled: 0.85,
      bouncedOfSettled: 0.1,
      complainedOfSettled: 0.01,
    });
  });

  it('are those of the table for the operator, with accounts that sent nothing', async () => {
    const other = newId('acc');
    const figures = await accountFigures(store, [events.accountId, other]);
    const accepted = MIX.reduce((sum, [count, , at]) => sum + (at?.test ? 0 : count), 0);
    expect(figuresOf(figures, events.accountId)).toEqual({
      stats: { accepted, delivered: 182, ...RATES },
      acceptedThisMonth: accepted,
    });
    expect(figuresOf(figures, other)).toMatchObject({
      stats: { settled: 0, delivered_of_settled: null },
      acceptedThisMonth: 0,
    });
  });

  it('are those of the table in the advice about the domain', async () => {
    const loader = new DomainTrafficLoader(store, silent).of({} as GraphqlContext, caller);
    expect(await loader.byDomain.load(events.domainId)).toMatchObject({
      settled: 200,
      bounceRate: 0.1,
      complaintRate: 0.01,
    });
  });

  it('leave the older rates as they were, with the simulator', async () => {
    const metrics = 'delivered,bounced,sent,complaint_rate,open_rate';
    const { totals } = await metricsResponse(store, caller, { metrics });
    expect(totals).toEqual({ delivered: 182, bounced: 50, sent: 0, complaint_rate: 0.06044, open_rate: 0.054945 });
  });
});
