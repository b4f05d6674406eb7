import { Logger, Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  Config,
  ConfigError,
  Health,
  KernelModule,
  loadConfig,
  Log,
  Metrics,
  NestLog,
  Shutdown,
  startOpsServer,
  type KernelParts,
  type Program,
} from '#libs/kernel';
import { databaseProblem } from './database-problem.js';
import { firstConnection } from './first-connection.js';
import { listenProblem } from './listen-problem.js';
import { migrate } from './migrate.js';
import { dataSourceOptions, PersistenceModule } from './persistence.module.js';

export interface ProgramOptions {
  program: Program;
  /** The parts of this program beside kernel and persistence. */
  imports: (config: Config) => NonNullable<DynamicModule['imports']>;
  /** Each judges what settings lead to, such as files; also for `--check-config`. @throws ConfigError */
  checks?: readonly ((config: Config) => unknown)[];
  /** Completes what the environment left open: the standalone program starts its engines here. */
  prepare?: (parts: KernelParts) => Promise<Config>;
  /** Builds the application; a program without HTTP needs nothing here. */
  create?: (root: DynamicModule, config: Config) => Promise<INestApplicationContext>;
  /** Says what whoever started the program needs to know, once everything listens. */
  welcome?: (app: INestApplicationContext) => Promise<void>;
}

@Module({})
class ProgramModule {}

/**
 * Starts one program: settings → engines → migration → modules → loops. Ends the process with one clear sentence when a
 * setting is wrong; with `--check-config` it only says whether the settings are right.
 */
export async function startProgram(options: ProgramOptions): Promise<void> {
  const parsed = readConfig(options);
  const log = Log.create(parsed);
  Logger.overrideLogger(new NestLog(log));
  const shutdown = new Shutdown(log);
  shutdown.listen();
  try {
    const config = options.prepare ? await options.prepare({ config: parsed, log, shutdown }) : parsed;
    await migrateFirst(config, log);
    const root: DynamicModule = {
      module: ProgramModule,
      imports: [
        KernelModule.forRoot({ config, log, shutdown }),
        PersistenceModule.forRoot(log),
        ...options.imports(config),
      ],
    };
    const app = await (options.create ?? createHeadless)(root, config);
    await startOpsServer({ config, log, shutdown, health: app.get(Health), metrics: app.get(Metrics) });
    log.info('started', { settings: config.describe() });
    await options.welcome?.(app);
  } catch (error) {
    const sentence = sentenceOn(error, parsed);
    if (sentence === null) log.error('the start failed', error);
    else process.stderr.write(`${sentence}\n`);
    await shutdown.run();
    process.exit(1);
  }
}

/** Null: what went wrong is ours, and the log has all of it. */
function sentenceOn(error: unknown, parsed: Config): string | null {
  if (error instanceof ConfigError) return error.message;
  return listenProblem(error, parsed) ?? databaseProblem(error, parsed);
}

function readConfig({ program, checks = [] }: ProgramOptions): Config {
  try {
    const config = loadConfig(program);
    const problems = checks.flatMap((check) => problemOf(() => check(config)));
    if (problems.length > 0) throw new ConfigError(problems.join('\n'));
    if (process.argv.includes('--check-config')) {
      process.stdout.write(`${JSON.stringify(config.describeAll(), null, 2)}\n`);
      process.exit(0);
    }
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
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

/** On a connection of its own, before any part looks at a table. */
async function migrateFirst(config: Config, log: Log): Promise<void> {
  const dataSource = await firstConnection(dataSourceOptions(config, log), log);
  try {
    await migrate(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

function createHeadless(root: DynamicModule): Promise<INestApplicationContext> {
  return NestFactory.createApplicationContext(root, { abortOnError: false });
}
