import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { KernelModule, Log, Shutdown } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { PersistenceModule } from '../../../libs/persistence/src/persistence.module.js';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { testConfig } from '../../support/persistence/database.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

@Module({})
class Program {}

/** Before a database; the first `silent` connections to it are taken and never answered. */
class SlowFront {
  asked = 0;
  private readonly server: Server;
  private readonly open = new Set<Socket>();

  constructor(
    private readonly database: URL,
    private readonly silent: number,
  ) {
    this.server = createServer((client) => this.take(client));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const url = new URL(this.database);
    url.searchParams.delete('host');
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  async close(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take(client: Socket): void {
    this.open.add(client.on('error', () => undefined));
    if (++this.asked <= this.silent) return;
    const { port } = this.database;
    const folder = this.database.searchParams.get('host');
    const behind = folder === null ? connect(Number(port)) : connect(`${folder}/.s.PGSQL.${port}`);
    this.open.add(behind.on('error', () => client.destroy()));
    client.pipe(behind).pipe(client);
  }
}

describe('the first connection to the database', () => {
  let db: OpenTestDatabase;
  let front: SlowFront | undefined;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await front?.close();
    front = undefined;
  });
  afterAll(() => db?.close());

  const databaseUrl = () => new URL(db.config.settings.DATABASE_URL ?? '');

  async function start(url: URL, silent: number) {
    front = new SlowFront(url, silent);
    const log = Log.quiet();
    const warned = vi.spyOn(log, 'warn');
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const shutdown = new Shutdown(log);
    const kernel = KernelModule.forRoot({ config: testConfig(await front.listen()), log, shutdown });
    const root: DynamicModule = { module: Program, imports: [kernel, PersistenceModule.forRoot(log)] };
    const options = { logger: ['error' as const, 'warn' as const], abortOnError: false };
    const app = await NestFactory.createApplicationContext(root, options).catch((error: Error) => error);
    return { app, shutdown, warned: warned.mock.calls, stderr: stderr.mock.calls };
  }

  it('is asked for again where the server was slow, with one line in our log for each time', async () => {
    const { app, shutdown, warned, stderr } = await start(databaseUrl(), 2);
    if (app instanceof Error) throw app;
    expect((await app.get(Database).query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    const told = ['no connection to the database yet', { reason: expect.stringMatching(/timeout/i) }];
    expect(warned).toEqual([told, told]);
    expect(stderr).toEqual([]);
    await shutdown.run();
  });

  it('is not asked for again where the server said no', async () => {
    const url = databaseUrl();
    url.pathname = '/nowhere';
    const { app, warned } = await start(url, 0);
    expect(app).toMatchObject({ message: 'database "nowhere" does not exist' });
    expect(warned).toEqual([]);
    expect(front?.asked).toBe(1);
  });
});
