import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startClickhouseFront } from '../stats/clickhouse-front.js';
import { freePorts } from './ports.js';
import { API_KEY, launch, type RunningProgram, type RunningService } from './program.js';
import { EmbeddedPostgres } from '../../../libs/persistence/src/embedded-postgres/embedded-postgres.js';

const PROGRAMS = ['gateway', 'smtp', 'delivery', 'analytics', 'webhooks', 'relay'] as const;

export interface DistributedService extends RunningService {
  programs: Map<(typeof PROGRAMS)[number], RunningProgram>;
  topicPrefix: string;
}

/** The programs as processes of their own on PostgreSQL by URL, ClickHouse over HTTP, and Kafka if there are brokers. */
export async function startDistributed(
  brokers: string | null,
  settings: Record<string, string> = {},
): Promise<DistributedService> {
  const dir = mkdtempSync(join(tmpdir(), 'postloft-distributed-'));
  chmodSync(dir, 0o755);
  const postgres = await EmbeddedPostgres.start({ dataDir: join(dir, 'postgres'), log: () => undefined });
  const front = await startClickhouseFront({ path: join(dir, 'clickhouse') });
  const topicPrefix = `t${process.pid}.`;
  const programs: DistributedService['programs'] = new Map();
  // Without Kafka there is nothing to copy.
  const names = PROGRAMS.filter((name) => brokers !== null || name !== 'relay');
  // One after another is what an operator does; all at once is what an orchestrator does, and must work as well.
  const started = await Promise.all(
    names.map((name) =>
      launchOne(name, dir, {
        DATABASE_URL: postgres.url,
        CLICKHOUSE_URL: `${front.url}/default`,
        ...(brokers === null ? {} : { KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: topicPrefix }),
        ...settings,
      }),
    ),
  );
  names.forEach((name, i) => programs.set(name, started[i]));
  const gateway = programs.get('gateway') as RunningProgram;
  return {
    url: gateway.url,
    key: gateway.key,
    call: gateway.call,
    json: gateway.json,
    programs,
    topicPrefix,
    stop: async () => {
      const codes = await Promise.all([...programs.values()].map((program) => program.stop()));
      await front.stop();
      await postgres.stop();
      return codes.find((code) => code !== 0) ?? 0;
    },
    clean: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** One program on its own ports and data directory, on engines that are told. */
export async function launchOne(
  name: (typeof PROGRAMS)[number],
  dir: string,
  engines: Record<string, string>,
): Promise<RunningProgram> {
  const [http, smtp, smtps, inbound, ops] = await freePorts(5);
  const dataDir = join(dir, name);
  mkdirSync(dataDir);
  return launch(
    name,
    {
      DATA_DIR: dataDir,
      HTTP_PORT: String(http),
      SMTP_PORT: String(smtp),
      SMTPS_PORT: String(smtps),
      INBOUND_SMTP_PORT: String(inbound),
      OPS_PORT: String(ops),
      MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
      BOOTSTRAP_API_KEY: API_KEY,
      ALLOW_PRIVATE_WEBHOOKS: 'true',
      RATE_LIMIT_PER_SECOND: '0',
      LOG_FORMAT: 'json',
      ...engines,
    },
    { readyUrl: `http://127.0.0.1:${ops}/readyz` },
  );
}
