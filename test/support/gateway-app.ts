import type { AddressInfo } from 'node:net';
import { Module, type DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { Accounts, ApiKeys } from '#libs/accounts';
import { BusModule, LogCarriage } from '#libs/bus';
import { STATS_COUNTERS, type DomainStats, type Permission } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { KernelModule, loadConfig, Log, Shutdown } from '#libs/kernel';
import { PersistenceModule } from '#libs/persistence';
import { StatsStore, type MetricsAnswer, type MetricsQuery, type MetricsRow } from '#libs/stats';
import { GatewayModule } from '../../apps/gateway/src/gateway.module.js';
import { configureGateway, createGatewayAdapter } from '../../apps/gateway/src/http-application.js';
import { createTestDatabase } from './test-database.js';

/** Counts that a test sets; the real store needs a ClickHouse engine and has tests of its own. */
export class SetCounts {
  accepted = 0;
  /** Of metrics; null: one that has `accepted`. */
  answer: MetricsAnswer | null = null;

  domainStats(_accountId: string, domainId: string, { from, to }: { from: Date; to: Date }): Promise<DomainStats> {
    const counts = Object.fromEntries(STATS_COUNTERS.map((counter) => [counter, 0]));
    return Promise.resolve({ ...counts, domainId, from, to, accepted: this.accepted } as unknown as DomainStats);
  }

  /** What was asked last. */
  question: MetricsQuery | undefined;

  metrics(question: MetricsQuery): Promise<MetricsAnswer> {
    this.question = question;
    if (this.answer) return Promise.resolve(this.answer);
    const values = { accepted: this.accepted, delivery_rate: null };
    const rows: MetricsRow[] = [{ period: question.from, domainId: null, tags: { kind: 'a' }, values }];
    return Promise.resolve({ totals: values, rows: question.dimensions.length > 0 ? rows : null, approximate: [] });
  }
}

export interface GatewayApp {
  url: string;
  port: number;
  databaseUrl: string;
  app: NestFastifyApplication;
  counts: SetCounts;
  /** A new account with an active domain and a key. */
  account(permission?: Permission): Promise<{ accountId: string; key: string; domain: string; domainId: string }>;
  call(key: string | null, method: string, path: string, body?: unknown, headers?: object): Promise<Response>;
  stop(): Promise<void>;
}

/**
 * The gateway in this process on a free port, as its program builds it; on a database of its own, or on that of another
 * one (`DATABASE_URL`), which is then stopped last.
 */
export async function startGatewayApp(env: Record<string, string> = {}): Promise<GatewayApp> {
  const shared = env['DATABASE_URL'];
  const db = shared === undefined ? await createTestDatabase() : { url: shared, close: () => Promise.resolve() };
  const config = loadConfig('gateway', {
    HTTP_PORT: '0',
    DATABASE_URL: db.url,
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    RATE_LIMIT_PER_SECOND: '0',
    ALLOW_PRIVATE_WEBHOOKS: 'true',
    LOG_LEVEL: 'fatal',
    BOOTSTRAP_API_KEY: 'bootstrap-key-0123456789',
    ...env,
  });
  const log = Log.create(config);
  const shutdown = new Shutdown(log);
  const counts = new SetCounts();
  const module = await Test.createTestingModule({
    imports: [
      KernelModule.forRoot({ config, log, shutdown }),
      PersistenceModule.forRoot(log),
      BusModule.forRoot(),
      countsModule(counts),
      GatewayModule,
    ],
  }).compile();
  const app = module.createNestApplication<NestFastifyApplication>(createGatewayAdapter(config), { logger: ['error'] });
  configureGateway(app);
  await app.listen(0, '127.0.0.1');
  await app.get(LogCarriage).start();
  const { port } = app.getHttpServer().address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    databaseUrl: db.url,
    app,
    counts,
    account: (permission = 'full_access') => newAccount(app, permission),
    call: (key, method, path, body, headers = {}) =>
      fetch(url + path, {
        method,
        headers: {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    stop: async () => {
      await shutdown.run();
      await db.close();
    },
  };
}

@Module({})
class CountsModule {}

const countsModule = (counts: SetCounts): DynamicModule => ({
  module: CountsModule,
  global: true,
  providers: [{ provide: StatsStore, useValue: counts }],
  exports: [StatsStore],
});

let made = 0;

async function newAccount(app: NestFastifyApplication, permission: Permission) {
  const { id: accountId } = await app.get(Accounts).create({ name: 'Letters', plan: 'unlimited' });
  const domain = `mail${++made}.example.org`;
  await app.get(SendingDomains).addVouched(accountId, domain);
  const [{ id: domainId }] = await app.get(SendingDomains).list(accountId);
  const { token } = await app.get(ApiKeys).create(accountId, { name: 'Test', permission });
  return { accountId, key: token, domain, domainId };
}
