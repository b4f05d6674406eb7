import { Logger, Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  Config,
  ConfigError,
  configWarnings,
  Health,
  InvalidSettings,
  KernelModule,
  loadConfig,
  Log,
  Metrics,
  NestLog,
  Shutdown,
  startOpsServer,
  type KernelParts,
  type Program,
  tracing,
} from '#libs/kernel';
import { Database, isUnavailable } from '../connection/database.js';
import { firstConnection, untilAvailable } from '../connection/first-connection.js';
import { describeConfig, hostWarnings } from './check-config.js';
import { explainStartError } from './explain-start-error.js';
import { establishMasterKey } from './master-key-check.js';
import { readMasterKeys } from './master-key.js';
import { migrate } from '../migrate.js';
import { dataSourceOptions, PersistenceModule } from '../persistence.module.js';
import type { DataSourceOptions } from 'typeorm';

export interface ProgramOptions {
  program: Program;
  /** Modules of this program beside kernel and persistence. */
  imports: (config: Config) => NonNullable<DynamicModule['imports']>;
  /** Check what settings refer to, such as files; also for `--check-config`. Each throws ConfigError. */
  checks?: readonly ((config: Config) => unknown)[];
  /** Completes the settings before anything else: the standalone program starts its engines here. */
  prepare?: (parts: KernelParts) => Promise<Config>;
  /** Creates the application; default: one without HTTP. */
  create?: (root: DynamicModule, config: Config) => Promise<INestApplicationContext>;
  /** Prints addresses and first steps, once everything listens. */
  welcome?: (app: INestApplicationContext) => Promise<void>;
}

/** Files and folders that a program creates are its own, those of the statistics engine included. */
const PRIVATE_UMASK = 0o077;

@Module({})
class ProgramModule {}

/**
 * Starts one program: settings → engines → migration → modules → loops. Ends the process with one sentence on stderr when a
 * setting is wrong; with `--check-config` it only checks the settings.
 */
export async function startProgram(options: ProgramOptions): Promise<void> {
  process.umask(PRIVATE_UMASK);
  const parsed = await readConfig(options);
  const log = Log.create(parsed);
  Logger.overrideLogger(new NestLog(log));
  for (const warning of configWarnings(parsed)) log.warn(warning);
  const shutdown = new Shutdown(log);
  shutdown.listen();
  surviveUnavailableDatabase(log);
  try {
    await tracing.start(parsed, shutdown);
    // Before any engine starts.
    await readMasterKeys(parsed);
    const prepared = options.prepare ? await options.prepare({ config: parsed, log, shutdown }) : parsed;
    const config = await prepareDatabase(prepared, log, options.prepare !== undefined);
    const root: DynamicModule = {
      module: ProgramModule,
      imports: [
        KernelModule.forRoot({ config, log, shutdown }),
        PersistenceModule.forRoot(log),
        ...options.imports(config),
      ],
    };
    const app = await (options.create ?? createHeadless)(root, config);
    const [health, metrics] = [app.get(Health), app.get(Metrics)];
    health.watch(metrics);
    shutdown.on('flush', 'health', () => health.unwatch());
    await startOpsServer({ config, log, shutdown, health, metrics });
    log.info('started', { settings: config.describe() });
    await options.welcome?.(app);
  } catch (error) {
    const sentence = explainStartError(error, parsed);
    if (sentence === null) log.error('the start failed', error);
    else process.stderr.write(`${sentence}\n`);
    await shutdown.run();
    process.exit(1);
  }
}

async function readConfig({ program, checks = [] }: ProgramOptions): Promise<Config> {
  try {
    const config = readSettings(program, checks);
    if (process.argv.includes('--check-config')) {
      const warnings = [...configWarnings(config), ...(await hostWarnings(config))];
      for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`);
      process.stdout.write(`${JSON.stringify(await describeConfig(config), null, 2)}\n`);
      process.exit(0);
    }
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** @throws ConfigError with the sentences of all settings that cannot be used, and of what they refer to */
function readSettings(program: Program, checks: NonNullable<ProgramOptions['checks']>): Config {
  const [config, invalid] = attempt(() => loadConfig(program));
  const found = checks.flatMap((check) => problemOf(() => check(config)));
  const problems = found.filter((sentence) => !invalid?.concerns(sentence));
  if (invalid !== null) problems.unshift(invalid.message);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return config;
}

function attempt(load: () => Config): [Config, InvalidSettings | null] {
  try {
    return [load(), null];
  } catch (error) {
    if (error instanceof InvalidSettings) return [error.valid, error];
    throw error;
  }
}

function problemOf(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return [error.message];
    throw error;
  }
}

/** A forgotten rejection ends the process, unless it only says that a server was slow or away for a moment. */
function surviveUnavailableDatabase(log: Log): void {
  process.on('unhandledRejection', (reason) => {
    if (!isUnavailable(reason)) throw reason;
    log.error('a background task failed because a server was unavailable', reason);
  });
}

/**
 * On a separate connection, before any module reads a table. Returns the settings with the master key.
 * @param hasConnected `prepare` has reached the database, so that only time is missing when it does not answer now
 */
async function prepareDatabase(config: Config, log: Log, hasConnected: boolean): Promise<Config> {
  const connect = () => firstConnection(withoutTimeouts(dataSourceOptions(config, log)), log);
  const dataSource = await (hasConnected ? untilAvailable('connection', log, connect) : connect());
  try {
    return await untilAvailable('schema', log, async () => {
      await migrate(dataSource, { log });
      return establishMasterKey(new Database(dataSource), config);
    });
  } finally {
    await dataSource.destroy();
  }
}

/** A migration may take minutes, and waits as long as other statements hold its locks. */
function withoutTimeouts(options: DataSourceOptions): DataSourceOptions {
  const extra = { ...(options.extra as object), statement_timeout: 0, idle_in_transaction_session_timeout: 0 };
  return { ...options, extra };
}

function createHeadless(root: DynamicModule): Promise<INestApplicationContext> {
  return NestFactory.createApplicationContext(root, { abortOnError: false });
}
