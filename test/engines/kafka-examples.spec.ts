import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OutboxRelay } from '#libs/bus';
import { newId, type RoutedEvent } from '#libs/contracts';
import { outbox, Database } from '#libs/persistence';
import { Kafka, logLevel } from 'kafkajs';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pythonWithPackages } from '../../tools/python.mjs';
import { startClickhouseFront, type ClickhouseFront } from '../support/stats/clickhouse-front.js';
import { freshDatabase, type TestDatabase } from '../support/persistence/database.js';
import { busProcess } from '../support/fixtures/log-harness.js';
import { until } from '../support/timing/until.js';

const brokers = process.env['KAFKA_TEST_BROKERS'];
const required = process.env['POSTLOFT_REQUIRE_ENGINES'] === '1';
const ROOT = new URL('../../', import.meta.url).pathname;
const EXAMPLES = join(ROOT, 'examples');
const run = promisify(execFile);

/** [hour, host that replied, recipient's domain, delivered, bounced] */
const TRAFFIC: [hour: string, mx: string | null, domain: string, delivered: number, bounced: number][] = [
  ['12', 'gmail-smtp-in.l.google.com', 'gmail.com', 96, 4],
  ['12', 'aspmx.l.google.com', 'customer.example', 4, 0],
  ['12', 'hotmail-com.olc.protection.outlook.com', 'hotmail.com', 49, 1],
  ['13', 'gmail-smtp-in.l.google.com', 'gmail.com', 30, 10],
  ['13', 'mx.small.example', 'small.example', 1, 2],
  ['13', null, 'gone.example', 0, 3],
];
const ANSWER = `hour provider delivered bounced bounce_rate
2026-03-01T12:00Z google 100 4 0.0385
2026-03-01T12:00Z microsoft 49 1 0.0200
2026-03-01T13:00Z google 30 10 0.2500
2026-03-01T13:00Z none 0 3 1.0000
2026-03-01T13:00Z small.example 1 2 0.6667
`;

describe.skipIf(!brokers)('the examples of Kafka consumers', () => {
  const prefix = `test-${randomBytes(4).toString('hex')}.`;
  const env = { ...process.env, KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: prefix };
  const work = mkdtempSync(join(tmpdir(), 'postloft-examples-'));
  const compiled = join(ROOT, '.tools', `example-${randomBytes(4).toString('hex')}`);
  let home: TestDatabase;
  let front: ClickhouseFront | undefined;
  let python: Promise<string | null>;

  beforeAll(async () => {
    // Null where the packages of the example cannot be installed.
    python = pythonWithPackages().catch((error: unknown) => {
      if (required) throw error;
      return null;
    });
    home = await freshDatabase(process.env['TEST_DATABASE_URL'] as string);
    // Every record twice: the second process copies the log again.
    for (let copies = 0; copies < 2; copies++) await copyLog(home.url, { prefix, isFirst: copies === 0 });
  });
  afterAll(async () => {
    await front?.stop();
    await home?.drop();
    await python;
    for (const path of [work, compiled]) rmSync(path, { recursive: true, force: true });
  });

  it('in TypeScript answer the question', async () => {
    mkdirSync(compiled, { recursive: true });
    const source = readFileSync(join(EXAMPLES, 'typescript/bounce-rate.ts'), 'utf8');
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    writeFileSync(join(compiled, 'bounce-rate.mjs'), outputText);
    const { stdout } = await run(process.execPath, ['bounce-rate.mjs'], { cwd: compiled, env, timeout: 60_000 });
    expect(stdout).toBe(ANSWER);
  });

  it('in Python answer the question', async (context) => {
    const interpreter = await python;
    if (interpreter === null) return context.skip('kafka-python cannot be installed');
    const { stdout } = await run(interpreter, [join(EXAMPLES, 'python/bounce_rate.py')], { env, timeout: 60_000 });
    expect(stdout).toBe(ANSWER);
  });

  it('in ClickHouse answer the question', async () => {
    front = await startClickhouseFront({ path: join(work, 'clickhouse') });
    const query = async (sql: string) => {
      const answer = await fetch(`${front?.url}/`, { method: 'POST', body: sql });
      const text = await answer.text();
      if (!answer.ok) throw new Error(text);
      return text;
    };
    const [topic, ...others] = statementsOf(readFileSync(join(EXAMPLES, 'clickhouse/events.sql'), 'utf8'));
    expect(await query(`EXPLAIN AST ${topic}`)).toContain('Function Kafka');
    // The records of the broker are inserted into a table of the same columns, so that the test does not wait for the
    // intervals at which the engine reads.
    await query(topic.replace(/ENGINE = Kafka[^]*/, 'ENGINE = Null'));
    // The events of the test have a fixed time, which is older than the table keeps.
    for (const statement of others) await query(statement.replace(/\nTTL [^\n;]*/, ''));
    const records = await readValues(`${prefix}email.events.v1`);
    await query(`INSERT INTO postloft_events_topic FORMAT JSONAsString\n${records.join('\n')}`);
    const [question] = statementsOf(readFileSync(join(EXAMPLES, 'clickhouse/bounce-rate.sql'), 'utf8'));
    const answer = await query(`${question} FORMAT CSVWithNames`);
    expect(answer.replaceAll('"', '').replaceAll(',', ' ')).toBe(ANSWER);
  });
});

it.runIf(required)('has a Kafka broker to run on', () => expect(brokers).toBeTruthy());

const statementsOf = (text: string): string[] =>
  text
    .replaceAll(/^--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');

/** The values of all records that the topic has now. */
async function readValues(topic: string): Promise<string[]> {
  const kafka = new Kafka({ brokers: [brokers as string], logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const offsets = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  const count = offsets.reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0);
  const values: string[] = [];
  const consumer = kafka.consumer({ groupId: `${topic}-values`, maxWaitTimeInMs: 200 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({ eachMessage: async ({ message }) => void values.push(String(message.value)) });
  await until(async () => values.length === count);
  await consumer.disconnect();
  return values;
}

async function copyLog(url: string, { prefix, isFirst }: { prefix: string; isFirst: boolean }): Promise<void> {
  const process = await busProcess(url, { KAFKA_BROKERS: brokers as string, KAFKA_TOPIC_PREFIX: prefix });
  const database = process.app.get(Database);
  const events = isFirst ? TRAFFIC.flatMap(eventsOf) : [];
  if (isFirst) await outbox.append(database, events);
  else await database.query(`UPDATE consumer_positions SET position = 0 WHERE consumer = 'kafka-relay'`);
  await process.app.get(OutboxRelay).start();
  await until(async () => {
    const { rows } = await database.query<{ isDone: boolean }>(
      `SELECT position > 0 AND position = (SELECT position FROM event_log_head) AS "isDone"
         FROM consumer_positions WHERE consumer = 'kafka-relay'`,
    );
    return rows[0]?.isDone ?? false;
  });
  await process.stop();
}

function eventsOf([hour, mx, domain, delivered, bounced]: (typeof TRAFFIC)[number]): RoutedEvent[] {
  const made = (type: 'email.delivered' | 'email.bounced', count: number, test = false) =>
    Array.from({ length: count }, (_, i) =>
      outbox.event({
        type,
        data: { mx, recipient: `user${i}@${domain}` } as never,
        accountId: newId('acc'),
        key: newId('em'),
        sequence: 1,
        domainId: newId('dom'),
        test,
        at: new Date(`2026-03-01T${hour}:${String(i % 60).padStart(2, '0')}:30.000Z`),
      }),
    );
  return [...made('email.delivered', delivered), ...made('email.bounced', bounced), ...made('email.bounced', 5, true)];
}
