import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { BusModule, EventLog, OutboxRelay } from '#libs/bus';
import { KernelModule, Log, Shutdown } from '#libs/kernel';
import { Database, PersistenceModule } from '#libs/persistence';
import type { LogHarness } from '../../libs/bus/src/event-log.suite.js';
import { freshDatabase, testConfig } from './database.js';

@Module({})
class OneProcess {}

/** The parts of a process that has nothing but the log; in this process, but with its own pool and its own shutdown. */
export async function busProcess(databaseUrl: string, settings: Record<string, string> = {}) {
  const log = Log.quiet();
  const shutdown = new Shutdown(log);
  const root: DynamicModule = {
    module: OneProcess,
    imports: [
      KernelModule.forRoot({ config: testConfig(databaseUrl, settings), log, shutdown }),
      PersistenceModule.forRoot(log),
      BusModule.forRoot(),
    ],
  };
  const app = await NestFactory.createApplicationContext(root, { logger: ['error'], abortOnError: false });
  return { app, log: app.get(EventLog), stop: () => shutdown.run() };
}

/** An empty log on a database of its own on `server`, with one process that carries it. */
export async function logHarness(server: string, settings: Record<string, string> = {}): Promise<LogHarness> {
  const { url, drop } = await freshDatabase(server);
  const delivery = await busProcess(url, settings);
  await delivery.app.get(OutboxRelay).start();
  return {
    database: delivery.app.get(Database),
    process: () => busProcess(url, settings),
    close: async () => {
      await delivery.stop();
      await drop();
    },
  };
}

/** The same, but whoever reads the log carries it too, as the standalone program does. */
export async function standaloneLogHarness(server: string): Promise<LogHarness> {
  const { url, drop } = await freshDatabase(server);
  const writer = await busProcess(url);
  return {
    database: writer.app.get(Database),
    process: async () => {
      const started = await busProcess(url);
      await started.app.get(OutboxRelay).start();
      return started;
    },
    close: async () => {
      await writer.stop();
      await drop();
    },
  };
}
