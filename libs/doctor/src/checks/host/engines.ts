import { logBacklog, ParkedEvents } from '#libs/bus';
import { databaseInfo, readMasterKeys, type Database, type DatabaseInfo, installation } from '#libs/persistence';
import { QueueDepths } from '#libs/queue';
import { statsServerState } from '#libs/stats';
import net from 'node:net';
import { partitionResults } from './partitions.js';
import { statisticsResults } from './statistics.js';
import { error, ok, skipped, warning, type Check, type Result } from '../../check.js';
import type { CheckContext } from '../../context.js';

const MAX_CONNECTION_SHARE = 0.8;
/** Mail that is not held back is claimed within a second of being due. */
const OVERDUE_S = 300;
const CONNECT_MS = 5_000;

export const enginesCheck: Check = {
  name: 'engines',
  title: 'Engines and backlog',
  run: async (context) =>
    (await Promise.all([checkDatabase(context), checkKafka(context), checkClickHouse(context)])).flat(),
};

async function checkDatabase(context: CheckContext): Promise<Result[]> {
  const subject = 'PostgreSQL';
  const opened = await context.database().catch((problem: Error) => problem);
  if (opened instanceof Error)
    return [
      error({
        subject,
        message: `It cannot be reached: ${opened.message || (opened as NodeJS.ErrnoException).code}. No mail is accepted without it.`,
        fix:
          context.config.settings.DATABASE_URL === undefined
            ? 'npm start shows the reason.'
            : 'Correct DATABASE_URL, or start the server.',
      }),
    ];
  if (opened === null) return [skipped({ subject, message: 'There is no database yet; the first start creates it.' })];
  const facts = await databaseInfo(opened);
  const isCurrent = facts.pendingMigrations.length === 0 && facts.schemaProblem === null;
  return [
    ...checkServer(facts),
    ...checkSchema(facts),
    ...checkWorkers(facts),
    ...(isCurrent
      ? [
          await checkMasterKey(opened, context),
          ...(await checkBacklog(opened)),
          ...(await partitionResults(opened, context.config.settings)),
          ...(await statisticsResults(opened)),
        ]
      : []),
  ];
}

function checkServer(facts: DatabaseInfo): Result[] {
  const subject = 'PostgreSQL';
  const { version, connections, fsync, fullPageWrites, synchronousCommit } = facts;
  const results: Result[] = [];
  if (facts.serverProblem !== null)
    results.push(error({ subject, message: facts.serverProblem, fix: 'Correct the server, or DATABASE_URL.' }));
  if (!facts.foldsCase)
    results.push(
      warning({
        subject,
        message: 'Its locale knows ASCII letters only: searches distinguish "Ü" from "ü" in subjects.',
        fix: "Dump the database, and load it into one made with: CREATE DATABASE … LOCALE 'C.UTF-8' TEMPLATE template0;",
      }),
    );
  const safeguards = { fsync, full_page_writes: fullPageWrites, synchronous_commit: synchronousCommit };
  for (const [name] of Object.entries(safeguards).filter(([, value]) => value === 'off'))
    results.push(
      error({
        subject,
        message: `${name} is off: accepted mail is lost when the machine or the server crashes.`,
        fix: `ALTER SYSTEM SET ${name} = on; SELECT pg_reload_conf();`,
      }),
    );
  if (connections.used > connections.allowed * MAX_CONNECTION_SHARE)
    results.push(
      warning({
        subject,
        message: `${connections.used} of ${connections.allowed} connections are in use; each program takes up to DATABASE_POOL_SIZE and one more.`,
        fix: `ALTER SYSTEM SET max_connections = ${connections.allowed * 2}; and restart the server`,
      }),
    );
  if (results.length > 0) return results;
  return [
    ok({
      subject,
      message: `Version ${versionText(version)} answers, and writes to disk before it confirms.`,
      facts: { ...connections },
    }),
  ];
}

function checkSchema({ pendingMigrations: pending, schemaProblem }: DatabaseInfo): Result[] {
  if (schemaProblem !== null) return [error({ subject: 'schema', ...schemaProblem })];
  if (pending.length === 0) return [];
  return [
    warning({
      subject: 'schema',
      message: `${pending.length} changes are not applied yet.`,
      fix: 'npm start applies them.',
      facts: { pending },
    }),
  ];
}

function checkWorkers({ workers }: DatabaseInfo): Result[] {
  const dead = workers.filter(({ isAlive }) => !isAlive);
  if (dead.length === 0) return [];
  const list = dead.map(({ program, silentSeconds }) => `${program} (${Math.round(silentSeconds)} s)`).join(', ');
  return [
    warning({
      subject: 'programs',
      message: `No heartbeat any more from ${list}. Other programs take over their work.`,
      fix: 'Start them again, and find out from their logs how they ended.',
    }),
  ];
}

/** With another key the service does not start. */
async function checkMasterKey(database: Database, { config }: CheckContext): Promise<Result> {
  const subject = 'MASTER_KEY';
  const keys = await readMasterKeys(config).catch((problem: Error) => problem);
  if (keys instanceof Error)
    return error({ subject, message: keys.message, fix: 'Correct MASTER_KEY or the file, then run doctor again.' });
  const problem = await installation.masterKeyProblem(database, { keys, config });
  if (problem !== null) return error({ subject, ...problem });
  if (keys.length === 0) return ok({ subject, message: 'The first start makes it.' });
  return rotationOf(await installation.masterKeyStatus(database, config));
}

/** A rotation that has not been completed. */
function rotationOf({ wanted, earlier, secrets }: Awaited<ReturnType<typeof installation.masterKeyStatus>>): Result {
  const subject = 'MASTER_KEY';
  const [count, remaining] = [totalOf(secrets.map((one) => one.count)), totalOf(secrets.map((one) => one.remaining))];
  const fix = 'npm run -s cli -- master-key rotate';
  if (wanted !== null) return warning({ subject, message: `The key ${wanted} is set and not in use yet.`, fix });
  if (earlier.length > 0 && remaining > 0)
    return warning({
      subject,
      message: `${remaining} of ${count} secrets are still encrypted with an earlier key.`,
      fix,
    });
  return ok({ subject, message: 'It is the key with which the database was made.' });
}

const totalOf = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

async function checkBacklog(database: Database): Promise<Result[]> {
  const [due, log] = await Promise.all([new QueueDepths(database).due(), logBacklog(database)]);
  const oldest = due.toSorted((a, b) => b.oldest - a.oldest).at(0);
  const results: Result[] = [];
  if (oldest !== undefined && oldest.oldest > OVERDUE_S)
    results.push(
      warning({
        subject: 'queue',
        message: `Mail to ${oldest.domain} has been due for ${Math.round(oldest.oldest / 60)} minutes without an attempt; ${due.reduce((sum, one) => sum + one.due, 0)} recipients wait in all.`,
        fix: 'Is the service (or start:delivery) running? GET /emails/<id>/explain says what a mail waits for.',
        facts: { oldest_seconds: Math.round(oldest.oldest) },
      }),
    );
  if (log.isOutboxLate)
    results.push(
      warning({
        subject: 'events',
        message: `${log.outbox} events wait in the outbox, the oldest for ${Math.round(log.oldestSeconds)} s: webhooks and statistics stand still.`,
        fix: 'Is the service (or start:delivery) running?',
      }),
    );
  for (const { consumer, lag } of log.consumers.filter(({ isBehind }) => isBehind))
    results.push(
      warning({
        subject: 'events',
        message: `${consumer} is ${lag} events behind.`,
        fix: `See its log, or start another copy of its program. If it is not used any more: npm run -s cli -- consumers remove ${consumer}`,
      }),
    );
  results.push(...(await checkParked(database)));
  return results.length > 0 ? results : [ok({ subject: 'queue', message: 'There is no backlog.' })];
}

/** Events that a consumer could not handle. */
async function checkParked(database: Database): Promise<Result[]> {
  const found = await new ParkedEvents(database).countByConsumer();
  return found.map(({ consumer, parked, oldest }) =>
    warning({
      subject: 'parked events',
      message: `${consumer} could not handle ${parked === 1 ? 'one event' : `${parked} events`}, parked since ${oldest.toISOString()}: they are missing there.`,
      fix: 'npm run -s cli -- parked list   # why; then "parked replay <id>" or "parked drop <id>"',
      facts: { consumer, parked },
    }),
  );
}

async function checkKafka({ config, signal }: CheckContext): Promise<Result[]> {
  const { KAFKA_BROKERS = [] } = config.settings;
  return Promise.all(
    KAFKA_BROKERS.map(async (broker) => {
      const subject = `Kafka ${broker}`;
      const problem = await tryConnect(broker, signal);
      if (problem === null) return ok({ subject, message: 'It accepts connections.' });
      return error({
        subject,
        message: `It cannot be reached: ${problem}. Events wait in PostgreSQL.`,
        fix: 'Correct KAFKA_BROKERS, or start the broker.',
      });
    }),
  );
}

/** Resolves with the reason when the connection fails, else with null. */
function tryConnect(broker: string, signal: AbortSignal): Promise<string | null> {
  const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(broker) ?? [null, broker, '9092'];
  return new Promise((resolve) => {
    const socket = net.connect({ host, port: Number(port), signal });
    const end = (problem: string | null) => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(CONNECT_MS, () => end('no answer in time'));
    socket.once('connect', () => end(null));
    socket.once('error', (problem: NodeJS.ErrnoException) => end(problem.code ?? problem.message));
  });
}

async function checkClickHouse({ config }: CheckContext): Promise<Result[]> {
  const { CLICKHOUSE_URL } = config.settings;
  if (CLICKHOUSE_URL === undefined) return [];
  const subject = 'ClickHouse';
  const { version, problem } = await statsServerState(CLICKHOUSE_URL);
  if (problem === null) return [ok({ subject, message: `Version ${version} answers.` })];
  return [
    error({
      subject,
      message: `It does not answer: ${problem}. Statistics stand still; mail goes on.`,
      fix: 'Correct CLICKHOUSE_URL, or start the server.',
    }),
  ];
}

const versionText = (version: number): string => `${Math.floor(version / 10_000)}.${version % 10_000}`;
