import { logBacklog } from '#libs/bus';
import { QueueDepths } from '#libs/emails';
import { databaseFacts, type Database, type DatabaseFacts } from '#libs/persistence';
import { statsServerVersion } from '#libs/stats';
import net from 'node:net';
import type { Check } from '../check.js';
import { error, ok, skipped, warning, type Remark } from '../finding.js';
import type { Patient } from '../patient.js';

const OLDEST_POSTGRES = 140_000;
const CROWDED = 0.8;
/** Mail that nothing holds back is claimed within a second. */
const OVERDUE_S = 300;
const OUTBOX_S = 60;
const LAG_EVENTS = 100_000;
const CONNECT_MS = 5_000;

/** What everything is kept in. */
export const enginesCheck: Check = {
  name: 'engines',
  title: 'Engines and backlog',
  asks: 'Do PostgreSQL, Kafka and ClickHouse answer, is their set-up safe, and does anything pile up?',
  look: async (patient) =>
    (await Promise.all([lookAtDatabase(patient), lookAtKafka(patient), lookAtClickHouse(patient)])).flat(),
};

async function lookAtDatabase(patient: Patient): Promise<Remark[]> {
  const subject = 'PostgreSQL';
  const opened = await patient.database().catch((problem: Error) => problem);
  if (opened instanceof Error)
    return [
      error({
        subject,
        message: `It cannot be reached: ${opened.message || (opened as NodeJS.ErrnoException).code}. Nothing is accepted without it.`,
        fix:
          patient.config.settings.DATABASE_URL === undefined
            ? 'npm start says why.'
            : 'Correct DATABASE_URL, or start the server.',
      }),
    ];
  if (opened === null) return [skipped({ subject, message: 'There is no database yet; the first start makes it.' })];
  const facts = await databaseFacts(opened);
  const isOurs = facts.pendingMigrations.length === 0;
  return [...judgeServer(facts), ...judgeSchema(facts), ...(isOurs ? await lookAtBacklog(opened) : [])];
}

function judgeServer(facts: DatabaseFacts): Remark[] {
  const subject = 'PostgreSQL';
  const { version, connections, fsync, fullPageWrites, synchronousCommit } = facts;
  const remarks: Remark[] = [];
  if (version < OLDEST_POSTGRES)
    remarks.push(
      error({
        subject,
        message: `Its version ${major(version)} is too old.`,
        fix: 'Upgrade to PostgreSQL 14 or newer.',
      }),
    );
  if (facts.isStandby)
    remarks.push(
      error({ subject, message: 'It is a standby, which takes no writes.', fix: 'Let DATABASE_URL name the primary.' }),
    );
  const unsafe = Object.entries({ fsync, full_page_writes: fullPageWrites, synchronous_commit: synchronousCommit });
  for (const [name] of unsafe.filter(([, value]) => value === 'off'))
    remarks.push(
      error({
        subject,
        message: `${name} is off: mail that was accepted is lost when the machine or the server goes down.`,
        fix: `ALTER SYSTEM SET ${name} = on; SELECT pg_reload_conf();`,
      }),
    );
  if (connections.used > connections.allowed * CROWDED)
    remarks.push(
      warning({
        subject,
        message: `${connections.used} of ${connections.allowed} connections are taken; each program takes up to 16.`,
        fix: `ALTER SYSTEM SET max_connections = ${connections.allowed * 2}; and restart the server`,
      }),
    );
  if (remarks.length > 0) return remarks;
  return [
    ok({
      subject,
      message: `Version ${major(version)} answers, and writes to disk before it says so.`,
      facts: { ...connections },
    }),
  ];
}

function judgeSchema({ pendingMigrations: pending, foreignMigrations: foreign, workers }: DatabaseFacts): Remark[] {
  const remarks: Remark[] = [];
  if (pending.length > 0)
    remarks.push(
      warning({
        subject: 'schema',
        message: `${pending.length} changes are not applied yet.`,
        fix: 'npm start applies them.',
        facts: { pending },
      }),
    );
  if (foreign.length > 0)
    remarks.push(
      error({
        subject: 'schema',
        message: 'A newer version of the service has changed this database.',
        fix: 'Run that version, or restore the copy from before.',
        facts: { foreign },
      }),
    );
  const dead = workers.filter(({ isAlive }) => !isAlive);
  if (dead.length > 0)
    remarks.push(
      warning({
        subject: 'programs',
        message: `Not heard of any more: ${dead.map(({ program, silentSeconds }) => `${program} (${Math.round(silentSeconds)} s)`).join(', ')}. What they had begun is taken over by the others.`,
        fix: 'Start them again, and look into their logs for how they ended.',
      }),
    );
  return remarks;
}

async function lookAtBacklog(database: Database): Promise<Remark[]> {
  const [due, log] = await Promise.all([new QueueDepths(database).due(), logBacklog(database)]);
  const oldest = due.toSorted((a, b) => b.oldest - a.oldest).at(0);
  const remarks: Remark[] = [];
  if (oldest !== undefined && oldest.oldest > OVERDUE_S)
    remarks.push(
      warning({
        subject: 'queue',
        message: `Mail to ${oldest.domain} has been due for ${Math.round(oldest.oldest / 60)} minutes and nobody sends it; ${due.reduce((sum, one) => sum + one.due, 0)} recipients wait in all.`,
        fix: 'Is the service (or start:delivery) running? GET /emails/<id>/explain says what a mail waits for.',
        facts: { oldest_seconds: Math.round(oldest.oldest) },
      }),
    );
  if (log.oldestSeconds > OUTBOX_S)
    remarks.push(
      warning({
        subject: 'events',
        message: `${log.outbox} events wait for their place in the log, the first for ${Math.round(log.oldestSeconds)} s: webhooks and statistics stand still.`,
        fix: 'Is the service (or start:delivery) running?',
      }),
    );
  for (const { consumer, lag } of log.consumers.filter((one) => one.lag > LAG_EVENTS))
    remarks.push(
      warning({
        subject: 'events',
        message: `${consumer} is ${lag} events behind.`,
        fix: 'Look into its log, or start another copy of its program.',
      }),
    );
  return remarks.length > 0 ? remarks : [ok({ subject: 'queue', message: 'Nothing piles up.' })];
}

async function lookAtKafka({ config, signal }: Patient): Promise<Remark[]> {
  const { KAFKA_BROKERS = [] } = config.settings;
  return Promise.all(
    KAFKA_BROKERS.map(async (broker) => {
      const subject = `Kafka ${broker}`;
      const problem = await connects(broker, signal);
      if (problem === null) return ok({ subject, message: 'It takes connections.' });
      return error({
        subject,
        message: `It cannot be reached: ${problem}. Events wait in PostgreSQL.`,
        fix: 'Correct KAFKA_BROKERS, or start the broker.',
      });
    }),
  );
}

/** Null: yes. */
function connects(broker: string, signal: AbortSignal): Promise<string | null> {
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

async function lookAtClickHouse({ config }: Patient): Promise<Remark[]> {
  const { CLICKHOUSE_URL } = config.settings;
  if (CLICKHOUSE_URL === undefined) return [];
  const subject = 'ClickHouse';
  try {
    return [ok({ subject, message: `Version ${await statsServerVersion(CLICKHOUSE_URL)} answers.` })];
  } catch (problem) {
    const reason = ((problem as Error).message || (problem as NodeJS.ErrnoException).code) ?? 'no answer';
    return [
      error({
        subject,
        message: `It cannot be asked: ${reason.split('\n', 1)[0].replace(/\.$/, '')}. Statistics stand still; mail goes on.`,
        fix: 'Correct CLICKHOUSE_URL, or start the server.',
      }),
    ];
  }
}

const major = (version: number): string => `${Math.floor(version / 10_000)}.${version % 10_000}`;
