import type { AddressInfo } from 'node:net';
import { Module, type DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { Accounts, ApiKeys } from '#libs/accounts';
import { BusModule, OutboxRelay } from '#libs/bus';
import { STATS_COUNTERS, type DomainStats, type Permission, wholeAccount } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { KernelModule, loadConfig, Log, Shutdown, type Config } from '#libs/kernel';
import { PersistenceModule } from '#libs/persistence';
import { QueueModule } from '#libs/queue';
import { TlsReportsModule } from '#libs/tls-reports';
import { StatsStore, type MetricsResult, type MetricsQuery, type MetricsRow } from '#libs/stats';
import { GatewayModule } from '../../apps/gateway/src/gateway.module.js';
import { configureGateway, createGatewayAdapter } from '../../apps/gateway/src/http-application.js';
import { pino } from 'pino';
import request from 'supertest';
import type TestAgent from 'supertest/lib/agent.js';
import { createTestDatabase } from './test-database.js';

/** Counts that a test sets; the real store needs a ClickHouse engine and has tests of its own. */
export class SetCounts {
  accepted = 0;
  /** Of metrics; null: one that has `accepted`. */
  answer: Omit<MetricsResult, 'truncated' | 'from' | 'to'> | null = null;

  domainStats(_accountId: string, domainId: string, { from, to }: { from: Date; to: Date }): Promise<DomainStats> {
    const counts = Object.fromEntries(STATS_COUNTERS.map((counter) => [counter, 0]));
    return Promise.resolve({ ...counts, domainId, from, to, accepted: this.accepted } as unknown as DomainStats);
  }

  /** A store without events: live statistics then come from the event log alone. */
  minuteCounters(): Promise<{ position: number; minutes: [] }> {
    return Promise.resolve({ position: 0, minutes: [] });
  }

  state(): Promise<{ engine: 'server'; version: null; problem: string }> {
    return Promise.resolve({ engine: 'server', version: null, problem: 'connect ECONNREFUSED 127.0.0.1:1' });
  }

  /** What was asked last. */
  question: MetricsQuery | undefined;

  metrics(question: MetricsQuery): Promise<MetricsResult> {
    this.question = question;
    const { from, to } = question;
    if (this.answer) return Promise.resolve({ ...this.answer, truncated: false, from, to });
    const values = { accepted: this.accepted, delivery_rate: null };
    const rows: MetricsRow[] = [{ period: question.from, domainId: null, tags: { kind: 'a' }, values }];
    const shown = question.dimensions.length > 0 ? rows : null;
    return Promise.resolve({ totals: values, rows: shown, approximate: [], truncated: false, from, to });
  }
}

/** A method of a request in a table: `agent[verb](path)`. */
export type Verb = 'delete' | 'get' | 'patch' | 'post' | 'put';

export interface GatewayApp {
  url: string;
  port: number;
  databaseUrl: string;
  app: NestFastifyApplication;
  counts: SetCounts;
  /** Lines of the log from the level `warn` on. */
  log: Record<string, unknown>[];
  /** A new account with an active domain and a key. */
  account(permission?: Permission): Promise<{ accountId: string; key: string; domain: string; domainId: string }>;
  /** Sends requests to this gateway, with this API key as the bearer token if one is given. */
  agent(key?: string | null): TestAgent;
  stop(): Promise<void>;
}

/**
 * The gateway in this process on a free port, as its program builds it; on a database of its own, or on that of another
 * one (`DATABASE_URL`), which is then stopped last. `complete` changes the settings as the start of a program does.
 */
export async function startGatewayApp(
  env: Record<string, string> = {},
  complete: (config: Config) => Config = (config) => config,
): Promise<GatewayApp> {
  const shared = env['DATABASE_URL'];
  const db = shared === undefined ? await createTestDatabase() : { url: shared, close: () => Promise.resolve() };
  const settings = loadConfig('gateway', {
    HTTP_PORT: '0',
    DATABASE_URL: db.url,
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    RATE_LIMIT_PER_SECOND: '0',
    // Files use many wrong and ended keys, all from one address.
    HTTP_AUTH_FAILURES_PER_MINUTE: '10000',
    ALLOW_PRIVATE_WEBHOOKS: 'true',
    LOG_LEVEL: 'fatal',
    // Several files share the machine; tests of a busy database set a shorter time.
    DATABASE_POOL_WAIT: '20s',
    BOOTSTRAP_API_KEY: 'bootstrap-key-0123456789',
    ...env,
  });
  const config = complete(settings);
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  const log = new Log(pino({ level: 'warn' }, { write }));
  const shutdown = new Shutdown(log);
  const counts = new SetCounts();
  const module = await Test.createTestingModule({
    imports: [
      KernelModule.forRoot({ config, log, shutdown }),
      PersistenceModule.forRoot(log),
      BusModule.forRoot(),
      countsModule(counts),
      GatewayModule,
      QueueModule,
      TlsReportsModule,
    ],
  }).compile();
  const app = module.createNestApplication<NestFastifyApplication>(createGatewayAdapter(config), { logger: ['error'] });
  configureGateway(app);
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  await app.listen(0, '127.0.0.1');
  await app.get(OutboxRelay).start();
  const { port } = app.getHttpServer().address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    databaseUrl: db.url,
    app,
    counts,
    log: lines,
    account: (permission = 'full_access') => newAccount(app, permission),
    agent: (key) => agentOf(app, key ?? null),
    stop: async () => {
      await shutdown.run();
      await db.close();
    },
  };
}

let shared: Promise<GatewayApp> | undefined;

/**
 * The gateway that all files of this worker share, with default settings; it ends with the worker. A file that stops,
 * reconfigures or counts everything starts one of its own.
 */
export function sharedGateway(): Promise<GatewayApp> {
  shared ??= startGatewayApp().then((gateway) => ({
    ...gateway,
    stop: () => Promise.reject(new Error('Other files of this worker use the shared gateway')),
  }));
  return shared;
}

@Module({})
class CountsModule {}

const countsModule = (counts: SetCounts): DynamicModule => ({
  module: CountsModule,
  global: true,
  providers: [{ provide: StatsStore, useValue: counts }],
  exports: [StatsStore],
});

function agentOf(app: NestFastifyApplication, key: string | null): TestAgent {
  const agent = request.agent(app.getHttpServer());
  return key === null ? agent : agent.auth(key, { type: 'bearer' });
}

let made = 0;

async function newAccount(app: NestFastifyApplication, permission: Permission) {
  const { id: accountId } = await app.get(Accounts).create({ name: 'Letters', plan: 'unlimited' });
  const domain = `mail${++made}.example.org`;
  await app.get(SendingDomains).addVouched(accountId, domain);
  const [{ id: domainId }] = await app.get(SendingDomains).list(wholeAccount(accountId));
  const { token } = await app.get(ApiKeys).create(accountId, { name: 'Test', permission });
  return { accountId, key: token, domain, domainId };
}
