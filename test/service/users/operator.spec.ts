import { VERSION } from '../../support/services/program.js';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Accounts, AuditHistory } from '#libs/accounts';
import { ParkedEvents } from '#libs/bus';
import { newId, roleRights } from '#libs/contracts';
import { CHECKS } from '#libs/doctor';
import { Database } from '#libs/persistence';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from '../../support/browser/browser.js';
import { DashboardFixture } from '../../support/browser/dashboard-fixture.js';
import { SERVICE, startDoctorNetwork, type DoctorNetwork } from '../../support/doctor/doctor-network.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { OPERATOR_FIELDS } from '../../support/rest/graphql-rows.js';
import { until } from '../../support/timing/until.js';

const FIELDS = Object.entries(OPERATOR_FIELDS);
const documentOf = (field: string, call: string): string => {
  const names = ['account', 'parked'].filter((name) => call.includes(`$${name}`));
  const declared = names.length === 0 ? '' : `(${names.map((name) => `$${name}: ID!`).join(', ')})`;
  return `${field.split('.', 1)[0].toLowerCase()} ${declared} { ${call} }`;
};
const ACCOUNT = `id name status standing plan members isFirst notifyAddresses usage { used limit }
  outcomes { recipients hardBounces complaints } pause { reason limitPercent hardBounces }`;

let folder: string;
let network: DoctorNetwork;
let gateway: GatewayApp;
let dashboard: DashboardFixture;
let database: Database;
let first: string;
let owner: { id: string; browser: Browser };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'operator-'));
  network = await startDoctorNetwork();
  const operations = join(folder, 'operations.json');
  const documents = FIELDS.map(([field, call]) => [field, documentOf(field, call)]);
  await writeFile(operations, JSON.stringify(Object.fromEntries(documents)));
  const shaping = join(folder, 'shaping.json');
  const source = { address: '127.0.0.7', helo: 'out.example.net' };
  await writeFile(
    shaping,
    JSON.stringify({
      sources: { main: [source] },
      warm_up: [{ address: '127.0.0.7', started: today(), first_day: 50, factor: 2, until: 20_000 }],
    }),
  );
  const { DATABASE_URL: _own, HTTP_PORT: _port, ...env } = network.env;
  gateway = await startGatewayApp({
    ...env,
    TRUST_PROXY: '127.0.0.1',
    GRAPHQL_PERSISTED_OPERATIONS: operations,
    SHAPING_FILE: shaping,
  });
  dashboard = new DashboardFixture(gateway);
  database = gateway.app.get(Database);
  // The gateway makes it at its start.
  first = (await gateway.app.get(Accounts).first())?.id ?? '';
  owner = await dashboard.member(first, 'owner');
});
afterAll(async () => {
  await gateway?.stop();
  await network?.close();
  await rm(folder, { recursive: true });
});

/** The parts of an answer that tests read. */
type Loose = ReturnType<JSON['parse']>;

const today = () => new Date().toISOString().slice(0, 10);

/** The data of an operation of the owner of the first account. */
async function asked<T = Record<string, Loose>>(query: string, variables: object = {}): Promise<T> {
  const { body } = await owner.browser.graphql(query, variables);
  expect(body.errors).toBeUndefined();
  return body.data as T;
}

async function refusal(query: string, variables: object = {}) {
  const { body } = await owner.browser.graphql(query, variables);
  return body.errors[0].extensions;
}

const audited = async (accountId: string) => (await gateway.app.get(AuditHistory).page(accountId, { limit: 100 })).data;

describe('the fields of the operator', () => {
  const variables = { account: newId('acc'), parked: newId('prk') };
  const ask = async (browser: Browser, field: string) => {
    const { status, body } = await browser.post('/graphql', { documentId: field, variables });
    return status === 200 ? body : { errors: [{ extensions: body }] };
  };

  it.each(roleRights.all)('work in the first account by role: %s', async (role) => {
    const { browser } = await dashboard.member(first, role);
    for (const [field] of FIELDS) {
      const { errors = [] } = await ask(browser, field);
      const codes = errors.flatMap(({ extensions }: Loose) => extensions.details.map(({ code }: Loose) => code));
      if (roleRights.operates(role)) expect(codes, field).not.toContain('role');
      else expect([errors[0]?.extensions.statusCode, codes], field).toEqual([403, ['role']]);
    }
  });

  it.each(roleRights.all)('refuse everybody in other accounts, and tell nothing: %s', async (role) => {
    const { browser } = await dashboard.member(await dashboard.account(), role);
    for (const [field] of FIELDS) {
      const answer = await ask(browser, field);
      expect(answer.errors?.[0].extensions, field).toMatchObject({ statusCode: 403, details: [{ code: 'role' }] });
      expect(answer.data ?? null, field).toBeNull();
      expect(JSON.stringify(answer), field).not.toContain(first);
    }
    browser.accountId = first;
    for (const [field] of FIELDS)
      expect((await ask(browser, field)).errors[0].extensions, field).toMatchObject({
        details: [{ code: 'not_a_member' }],
      });
  });

  it('refuse API keys, of the first account too', async () => {
    const key = await until(
      async () => (await asked(`mutation { createApiKey(input: {name: "k"}) { token } }`)).createApiKey.token,
    );
    for (const [field, call] of FIELDS) {
      const { body } = await gateway
        .agent(key)
        .post('/graphql')
        .send({ query: documentOf(field, call), variables });
      expect(body.errors[0].extensions, field).toMatchObject({ statusCode: 403, name: 'restricted_api_key' });
      expect(body.data ?? null, field).toBeNull();
    }
  });
});

describe('accounts', () => {
  const list = async (args: string) =>
    (await asked(`{ operator { accounts(${args}) { nodes { ${ACCOUNT} } pageInfo { hasNextPage endCursor } } } }`))
      .operator.accounts;
  const names = async (args: string) => (await list(args)).nodes.map(({ name }: Loose) => name);

  it('are found by name, id, domain and member, and by status', async () => {
    const customer = await gateway.account();
    const { id } = await gateway.app.get(Accounts).create({ name: 'Nordwind GmbH', plan: '5000' });
    const { email } = await dashboard.person(id, 'admin');
    await dashboard.person(id, 'viewer');
    expect((await list('search: "nordw"')).nodes).toMatchObject([
      { id, status: 'active', plan: '5000', members: 2, isFirst: false, usage: { used: 0, limit: 5000 }, pause: null },
    ]);
    expect(await names(`search: "${id}"`)).toEqual(['Nordwind GmbH']);
    expect(await names(`search: "${email.toUpperCase()}"`)).toEqual(['Nordwind GmbH']);
    const [owning] = (await list(`search: "${customer.domain}"`)).nodes;
    expect(owning).toMatchObject({ id: customer.accountId, usage: null });
    expect(await names('search: "nobody at all"')).toEqual([]);
    await gateway.app.get(Accounts).setStanding(id, 'overdue');
    expect(await names('status: overdue')).toEqual(['Nordwind GmbH']);
    expect((await asked(`{ operator { account(id: "${first}") { isFirst } } }`)).operator.account.isFirst).toBe(true);
    expect((await asked(`{ operator { account(id: "${newId('acc')}") { id } } }`)).operator.account).toBeNull();
  });

  it('are listed by pages, newest first', async () => {
    const one = await list('first: 2');
    const two = await list(`first: 2, after: "${one.pageInfo.endCursor}"`);
    expect(one.pageInfo.hasNextPage).toBe(true);
    const ids = [...one.nodes, ...two.nodes].map(({ id }: Loose) => id);
    expect(new Set(ids).size).toBe(4);
    expect(ids).toEqual(ids.toSorted((a: string, b: string) => (a < b ? 1 : -1)));
  });

  it('are created with a key and an invitation, blocked, and given a plan; both audit logs tell it', async () => {
    const email = `founder${Date.now()}@example.com`;
    const { createAccount } = await asked(
      `mutation ($input: CreateAccountInput!) { createAccount(input: $input) { account { ${ACCOUNT} } apiKey } }`,
      { input: { name: 'Südwind', plan: '100', ownerEmail: email } },
    );
    const { id } = createAccount.account;
    expect(createAccount.account).toMatchObject({ name: 'Südwind', plan: '100', notifyAddresses: [email] });
    expect((await gateway.agent(createAccount.apiKey).get('/account')).status).toBe(200);
    const token = await dashboard.tokenSentTo(email);
    const invited = await dashboard.browser().post('/app/api/invitations/lookup', { token });
    expect(invited.body).toMatchObject({ email, role: 'owner', account_name: 'Südwind' });

    const change = (call: string) => asked(`mutation { ${call} { standing plan status } }`);
    await change(`setAccountStanding(id: "${id}", standing: blocked)`);
    await until(async () => (await gateway.agent(createAccount.apiKey).get('/account')).status === 403);
    expect(await change(`setAccountStanding(id: "${id}", standing: active)`)).toMatchObject({
      setAccountStanding: { status: 'active' },
    });
    expect(await change(`setAccountPlan(id: "${id}", plan: "unlimited")`)).toMatchObject({
      setAccountPlan: { plan: 'unlimited' },
    });

    const customers = (await audited(id)).filter(({ action }) => action.startsWith('account.'));
    expect(customers.map(({ action, actor, ip }) => [action, actor, ip])).toEqual([
      ['account.plan_changed', 'operator', null],
      ['account.standing_changed', 'operator', null],
      ['account.standing_changed', 'operator', null],
      ['account.created', 'operator', null],
    ]);
    const own = (await audited(first)).filter(({ target }) => target === id);
    expect(own.map(({ action, actor }) => [action, actor])).toEqual(customers.map(({ action }) => [action, owner.id]));
    expect(own.every(({ ip }) => ip?.startsWith('203.0.'))).toBe(true);
  });

  it('are resumed after the brakes have paused them', async () => {
    const id = await dashboard.account('Paused');
    const pause = {
      reason: 'bounces',
      paused_at: new Date().toISOString(),
      recipients: 1000,
      hard_bounces: 200,
      complaints: 0,
      limit_percent: 10,
    };
    await database.query('UPDATE accounts SET sending_pause = $2 WHERE id = $1', [id, JSON.stringify(pause)]);
    const slot = new Date(Date.now() - 60_000);
    await database.query('INSERT INTO sending_outcomes VALUES ($1, $2, 1000, 200, 3)', [id, slot]);
    expect((await list('status: paused')).nodes).toMatchObject([
      {
        id,
        pause: { reason: 'bounces', hardBounces: 200, limitPercent: 10 },
        outcomes: { recipients: 1000, hardBounces: 200, complaints: 3 },
      },
    ]);
    const { resumeAccount } = await asked(`mutation { resumeAccount(id: "${id}") { ${ACCOUNT} } }`);
    expect(resumeAccount).toMatchObject({ status: 'active', pause: null, outcomes: { recipients: 0 } });
  });

  it('are refused what must not be', async () => {
    const block = `mutation { setAccountStanding(id: "${first}", standing: blocked) { id } }`;
    expect(await refusal(block)).toMatchObject({ statusCode: 409, details: [{ code: 'first_account' }] });
    const plan = `mutation { setAccountPlan(id: "${first}", plan: "huge") { id } }`;
    expect(await refusal(plan)).toMatchObject({ details: [{ field: 'plan', code: 'invalid_plan' }] });
    const create = `mutation { createAccount(input: {name: " ", plan: "0", ownerEmail: "x"}) { apiKey } }`;
    expect((await refusal(create)).details.map(({ field }: Loose) => field)).toEqual(['name', 'plan', 'ownerEmail']);
    const unknown = `mutation { resumeAccount(id: "${newId('acc')}") { id } }`;
    expect(await refusal(unknown)).toMatchObject({ statusCode: 404 });
  });
});

describe('delivery', () => {
  it('shows what waits by provider, of all accounts', async () => {
    const [one, two] = [await gateway.account(), await gateway.account()];
    for (const { key, domain } of [one, two])
      await gateway
        .agent(key)
        .post('/emails')
        .send({ from: `a@${domain}`, to: ['x@gmail.com', 'y@gmail.com'], subject: 'Hi', text: 'x' });
    const waiting = await until(async () => {
      const { operator } = await asked(
        `{ operator { queues { provider recipients accounts since waits { waitingFor reason } } } }`,
      );
      const found = operator.queues.find(({ provider }: Loose) => provider === 'google');
      return found?.recipients === 4 ? found : null;
    });
    expect(waiting).toMatchObject({ accounts: 2, waits: [{ waitingFor: 'worker' }] });
  });

  it('shows throttles with their cause, and resumes them', async () => {
    await database.query(
      `INSERT INTO throttling_states (queue, source, kind, factor, until, decided_at, words, mx, rule, changed_at)
       VALUES ('yahoo', '', 'suspended', 1, now() + interval '1 hour', now(), '421 4.7.0 [TSS04] deferred', 'mta5.example', 'yahoo_tss', now())`,
    );
    const throttles = async () =>
      (await asked('{ operator { throttles { queue source state factor since until rule mx words waiting } } }'))
        .operator.throttles;
    expect(await throttles()).toMatchObject([
      {
        queue: 'yahoo',
        source: null,
        state: 'suspended',
        rule: 'yahoo_tss',
        mx: 'mta5.example',
        words: '421 4.7.0 [TSS04] deferred',
        waiting: 0,
      },
    ]);
    expect(await asked('mutation { resumeQueue(queue: "yahoo") { restraints recipients } }')).toEqual({
      resumeQueue: { restraints: 1, recipients: 0 },
    });
    expect(await throttles()).toEqual([]);
  });

  it('shows source addresses and their warm-up', async () => {
    await database.query('INSERT INTO warmup_counts VALUES ($1, $2, $3, 20)', ['127.0.0.7', 'google', today()]);
    const { operator } = await asked(
      '{ operator { sources { address heloName pools state warmUp { provider allowance used } } } }',
    );
    expect(operator.sources).toMatchObject([
      { address: '127.0.0.7', heloName: 'out.example.net', pools: ['main'], state: 'warming_up' },
    ]);
    expect(operator.sources[0].warmUp).toEqual(
      expect.arrayContaining([
        { provider: 'google', allowance: 50, used: 20 },
        { provider: null, allowance: 50, used: 0 },
      ]),
    );
  });
});

describe('the event log', () => {
  it('shows consumers and parked events, replays and drops them', async () => {
    const fault = (position: number) => ({
      ...{ source: 'log', position, event: null, reason: 'cannot be read' },
      record: { key: null, value: 'e30=', headers: {} },
    });
    await gateway.app.get(ParkedEvents).park('webhooks', [fault(1), fault(2), fault(3)]);
    const { operator } = await asked(`{ operator { eventLog { head outbox consumers { consumer lag parked } }
      parkedEvents(first: 2) { nodes { id consumer position reason content } pageInfo { hasNextPage endCursor } } } }`);
    expect(operator.eventLog.consumers).toEqual(
      expect.arrayContaining([expect.objectContaining({ consumer: 'webhooks', parked: 3 })]),
    );
    const { nodes, pageInfo } = operator.parkedEvents;
    expect(nodes).toMatchObject([{ position: 1, reason: 'cannot be read', content: null }, { position: 2 }]);
    expect(pageInfo).toEqual({ hasNextPage: true, endCursor: nodes[1].id });
    const shown = await asked(`{ operator { parkedEvent(id: "${nodes[0].id}") { content } } }`);
    expect(shown.operator.parkedEvent.content).toEqual({ record: { key: null, value: 'e30=', headers: {} } });

    expect(await asked(`mutation { replayParkedEvents(id: "${nodes[0].id}") }`)).toEqual({ replayParkedEvents: 1 });
    expect(await asked('mutation { dropParkedEvents(consumer: "webhooks") }')).toEqual({ dropParkedEvents: 3 });
    expect(await refusal('mutation { dropParkedEvents }')).toMatchObject({ name: 'missing_required_field' });
  });
});

describe('health', () => {
  it('shows parts, programs, versions and stores', async () => {
    const { operator } =
      await asked(`{ operator { health { state problems { kind severity message since } version waiting { recipients held due }
      size { total database eventLog contents statistics other bytesPerDay } activity { minutes { accepted } latency { p50 } }
      parts { part reason } database { version bytes connectionsUsed }
      statistics { engine problem } disk { freeBytes totalBytes } nodeVersion deliveryMode serviceDomain }
      zone { text dkim dkimTruncated } abuseLimits { bouncePercent } } }`);
    const { health, zone, abuseLimits } = operator;
    expect(health.parts).toEqual(expect.arrayContaining([{ part: 'database', reason: null }]));
    expect(health.database.bytes).toBeGreaterThan(0);
    const { database: own, eventLog, contents } = health.size;
    expect(health.size).toMatchObject({ total: health.database.bytes, other: null, bytesPerDay: null });
    expect(own + eventLog + contents).toBe(health.database.bytes);
    expect(Math.min(own, eventLog, contents)).toBeGreaterThan(0);
    // Neither a program that delivers nor a statistics store runs beside this gateway.
    expect(health).toMatchObject({ state: 'critical', version: VERSION, activity: { minutes: [], latency: null } });
    expect(health.problems.map(({ kind }: Loose) => kind)).toEqual(expect.arrayContaining(['program', 'statistics']));
    expect(health.waiting.recipients).toBeGreaterThanOrEqual(4);
    expect(health).toMatchObject({
      statistics: { engine: 'server' },
      nodeVersion: process.version,
      serviceDomain: SERVICE,
    });
    expect(zone.text).toContain(`spf.${SERVICE}. TXT "v=spf1 ip4:127.0.0.7 -all"`);
    expect(zone.text).toContain('out.example.net. A 127.0.0.7');
    expect(zone).toMatchObject({
      dkim: expect.stringContaining(`.dkim.${SERVICE}. 3600 IN TXT "v=DKIM1`),
      dkimTruncated: false,
    });
    expect(abuseLimits).toEqual({ bouncePercent: 10 });
  });

  it('runs the doctor in the background, once at a time', async () => {
    const run = 'id state domain checks { name title ended results { status subject message fix } }';
    const { runDoctor } = await asked(`mutation { runDoctor(domain: "shop.example.com") { ${run} } }`);
    expect(runDoctor).toMatchObject({ state: 'running', domain: 'shop.example.com' });
    expect(runDoctor.checks.map(({ name }: Loose) => name)).toEqual(CHECKS.map(({ name }) => name));
    expect(await refusal('mutation { runDoctor { id } }')).toMatchObject({
      statusCode: 409,
      details: [{ code: 'doctor_running' }],
    });
    const ended = await until(async () => {
      const { doctor } = (await asked(`{ operator { doctor { ${run} } } }`)).operator;
      return doctor.state === 'finished' ? doctor : null;
    });
    expect(ended.id).toBe(runDoctor.id);
    expect(ended.checks.every(({ ended: has }: Loose) => has)).toBe(true);
    const domains = ended.checks.find(({ name }: Loose) => name === 'domains');
    expect(domains.results).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          status: 'error',
          subject: 'shop.example.com',
          message: 'No account has this domain.',
        }),
      ]),
    );
    expect(await refusal('mutation { runDoctor(domain: "no domain") { id } }')).toMatchObject({
      details: [{ field: 'domain' }],
    });
  });
});
