import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ABUSE_SETTINGS } from './abuse-settings.js';
import { backupClashes, BACKUP_SETTINGS } from './backup-settings.js';
import { CERTIFICATE_SETTINGS } from './certificate-settings.js';
import { CONTENT_SETTINGS } from './content-settings.js';
import { certificateClashes, mentions, openIdClashes, periodClashes, trackReads } from './contradictions.js';
import { portClashes } from './listeners.js';
import { nearNameWarnings } from './near-names.js';
import {
  attachmentTypes,
  bootstrapKey,
  brokers,
  byteSize,
  clusterName,
  dnsServers,
  domainName,
  domainNames,
  duration,
  flag,
  list,
  longDuration,
  longDurations,
  mailAddress,
  masterKey,
  moment,
  oneOf,
  password,
  planWeights,
  port,
  plan,
  positiveDuration,
  proxies,
  region,
  smtpOutTimeouts,
  text,
  url,
  wholeNumber,
  type SettingParser,
} from './setting-parsers.js';
import { TRACING_SETTINGS } from './tracing-settings.js';

/** The programs of this service; `cli` is the administration command line. */
export const PROGRAMS = ['standalone', 'gateway', 'smtp', 'delivery', 'analytics', 'webhooks', 'relay', 'cli'] as const;
export type Program = (typeof PROGRAMS)[number];

interface Setting<T> {
  parse: SettingParser<T>;
  /** The default as text; a function if it depends on settings above. Undefined for a setting that may be unset. */
  fallback?: Fallback;
  secret?: boolean;
}
type Fallback = string | ((above: DefaultSources) => string);
/** Settings from which defaults of other settings are derived. */
interface DefaultSources {
  HTTP_PORT: number;
  SMTP_PORT: number;
  SMTPS_PORT: number;
  SERVICE_DOMAIN: string;
}
type Environment = Readonly<Record<string, string | undefined>>;

const setting = <T>(parse: SettingParser<T>, fallback: Fallback, secret = false) => ({ parse, fallback, secret });
const optional = <T>(
  parse: SettingParser<T>,
  secret = false,
): { parse: SettingParser<T | undefined>; secret: boolean } => ({ parse, secret });

const second = 1000;
const minute = 60 * second;
const PHASES = {
  connect: 30 * second,
  greeting: 5 * minute,
  ehlo: 5 * minute,
  mail: 5 * minute,
  rcpt: 5 * minute,
  data: 2 * minute,
  dot: 10 * minute,
  total: 20 * minute,
};

/** It is below `test.`, which never exists (RFC 6761 §6.2). */
export const DEFAULT_SERVICE_DOMAIN = 'postloft.test';

/** Every setting of the service: name, parser and default. Read once at the start, then frozen. */
export const SETTINGS = {
  DATA_DIR: setting(text, './data'),
  HTTP_HOST: setting(text, '127.0.0.1'),
  HTTP_PORT: setting(port, '3000'),
  PUBLIC_URL: setting(url('http', 'https'), ({ HTTP_PORT }) => `http://localhost:${HTTP_PORT}`),
  RESEND_HOST: optional(domainName),
  SMTP_HOST: setting(text, '127.0.0.1'),
  SMTP_PORT: setting(port, '2587'),
  SMTPS_PORT: setting(port, '2465'),
  INBOUND_SMTP_PORT: setting(port, '2525'),
  SMTP_TLS_CERT: optional(text),
  SMTP_TLS_KEY: optional(text),
  SERVICE_DOMAIN: setting(domainName, DEFAULT_SERVICE_DOMAIN),
  PUBLIC_SMTP_HOST: setting(text, ({ SERVICE_DOMAIN }) =>
    // Both names are in the self-signed certificate.
    SERVICE_DOMAIN === DEFAULT_SERVICE_DOMAIN ? 'localhost' : `smtp.${SERVICE_DOMAIN}`,
  ),
  PUBLIC_SMTP_PORT: setting(port, ({ SMTP_PORT }) => String(SMTP_PORT)),
  PUBLIC_SMTPS_PORT: setting(port, ({ SMTPS_PORT }) => String(SMTPS_PORT)),
  REGION: setting(region, 'eu'),
  DATABASE_URL: optional(url('postgres', 'postgresql'), true),
  DATABASE_POOL_SIZE: setting(wholeNumber(8, 500), '16'),
  DATABASE_POOL_WAIT: setting(positiveDuration, '1500ms'),
  DISK_LOW_WATER: setting(byteSize, '512MiB'),
  ...CONTENT_SETTINGS,
  ...BACKUP_SETTINGS,
  KAFKA_BROKERS: optional(brokers),
  KAFKA_SASL_MECHANISM: optional(oneOf('plain', 'scram-sha-256', 'scram-sha-512')),
  KAFKA_SASL_USERNAME: optional(text),
  KAFKA_SASL_PASSWORD: optional(text, true),
  KAFKA_SSL: setting(flag, 'false'),
  KAFKA_TOPIC_PREFIX: setting(text, 'postloft.'),
  KAFKA_PARTITIONS: setting(wholeNumber(1, 1_000), '12'),
  KAFKA_RETENTION: setting(longDuration, '7d'),
  KAFKA_COMPRESSION: setting(oneOf('none', 'gzip'), 'none'),
  EVENT_LOG_SHARDS: setting(wholeNumber(1, 64), '1'),
  CLICKHOUSE_URL: optional(url('http', 'https'), true),
  CLICKHOUSE_CLUSTER: optional(clusterName),
  STATS_RAW_DAYS: setting(wholeNumber(2, 3_650), '90'),
  STATS_MINUTE_DAYS: setting(wholeNumber(2, 3_650), '30'),
  DELIVERY_MODE: setting(oneOf('capture', 'mx', 'smarthost'), 'capture'),
  SMARTHOST_URL: optional(url('smtp', 'smtps'), true),
  MX_PORT: setting(port, '25'),
  MTA_STS_PORT: setting(port, '443'),
  DANE: setting(oneOf('auto', 'off'), 'auto'),
  ALLOW_PRIVATE_MX: setting(flag, 'false'),
  DNS_SERVERS: optional(dnsServers),
  NTP_SERVERS: setting(list, 'pool.ntp.org'),
  MASTER_KEY: optional(masterKey, true),
  MASTER_KEY_PREVIOUS: optional(masterKey, true),
  MASTER_KEY_PREVIOUS_UNTIL: optional(moment),
  BOOTSTRAP_API_KEY: optional(bootstrapKey, true),
  BOOTSTRAP_ADMIN_EMAIL: optional(mailAddress),
  BOOTSTRAP_ADMIN_PASSWORD: optional(password, true),
  BOOTSTRAP_PLAN: setting(plan, 'unlimited'),
  BOOTSTRAP_DOMAINS: setting(domainNames, ({ SERVICE_DOMAIN }) => `sandbox.${SERVICE_DOMAIN}`),
  RATE_LIMIT_PER_SECOND: setting(wholeNumber(0, 1_000_000), '100'),
  DELIVERY_CONCURRENCY: setting(wholeNumber(1, 10_000), '50'),
  CONNECTIONS_PER_HOST: setting(wholeNumber(1, 1_000), '20'),
  SHAPING_FILE: optional(text),
  DELIVERY_RETRY_SCHEDULE: setting(longDurations, '1m,3m,10m,20m,40m,90m,3h,4h'),
  DELIVERY_LIFETIME: setting(longDuration, '72h'),
  SMTP_OUT_TIMEOUTS: setting(
    smtpOutTimeouts(PHASES),
    'connect=30s,greeting=5m,ehlo=5m,mail=5m,rcpt=5m,data=2m,dot=10m,total=20m',
  ),
  DKIM_SIGNING: setting(flag, 'on'),
  RETENTION_EVENTS: setting(longDuration, '30d'),
  RETENTION_MESSAGES: setting(longDuration, '90d'),
  RETENTION_ATTEMPTS: setting(longDuration, '90d'),
  RETENTION_BODIES: setting(longDuration, '30d'),
  RETENTION_CAPTURED: setting(longDuration, '7d'),
  RETENTION_REQUEST_LOG: setting(longDuration, '30d'),
  RETENTION_WEBHOOK_DELIVERIES: setting(longDuration, '30d'),
  WEBHOOK_RETRY_SCHEDULE: setting(longDurations, '5s,5m,30m,2h,5h,10h,14h,20h,24h'),
  WEBHOOK_TIMEOUT: setting(duration, '15s'),
  DOMAIN_CHECK_INTERVAL: setting(duration, '60s'),
  DKIM_ROTATION_DAYS: setting(wholeNumber(0, 3_650), '0'),
  TRUST_PROXY: setting(proxies, 'off'),
  HTTP_CONNECTIONS: setting(wholeNumber(10, 100_000), '2000'),
  HTTP_CONNECTIONS_PER_IP: setting(wholeNumber(1, 100_000), '200'),
  GRAPHQL_INTROSPECTION: setting(flag, 'on'),
  GRAPHQL_MAX_DEPTH: setting(wholeNumber(1, 100), '12'),
  GRAPHQL_MAX_ALIASES: setting(wholeNumber(0, 1_000), '15'),
  GRAPHQL_MAX_TOKENS: setting(wholeNumber(10, 100_000), '2000'),
  GRAPHQL_MAX_COST: setting(wholeNumber(100, 10_000_000), '20000'),
  GRAPHQL_PERSISTED_OPERATIONS: optional(text),
  GRAPHQL_SOCKETS_PER_ACCOUNT: setting(wholeNumber(1, 100_000), '50'),
  GRAPHQL_OPERATIONS_PER_SOCKET: setting(wholeNumber(1, 10_000), '20'),
  HTTP_AUTH_FAILURES_PER_MINUTE: setting(wholeNumber(1, 10_000), '20'),
  ATTACHMENT_TYPES: optional(attachmentTypes),
  PLAN_WEIGHTS: setting(planWeights, ''),
  ALLOWANCE_UNIT: setting(oneOf('recipient', 'message'), 'recipient'),
  ...ABUSE_SETTINGS,
  SMTP_CONNECTIONS_PER_IP: setting(wholeNumber(1, 100_000), '100'),
  SMTP_AUTH_FAILURES_PER_MINUTE: setting(wholeNumber(1, 10_000), '5'),
  OPS_HOST: setting(text, '127.0.0.1'),
  OPS_PORT: optional(port),
  METRICS_TOKEN: optional(bootstrapKey, true),
  ...TRACING_SETTINGS,
  HTTP_TLS_CERT: optional(text),
  HTTP_TLS_KEY: optional(text),
  ...CERTIFICATE_SETTINGS,
  SIGNUP: setting(oneOf('off', 'on'), 'off'),
  OIDC_ISSUER: optional(url('https', 'http')),
  OIDC_CLIENT_ID: optional(text),
  OIDC_CLIENT_SECRET: optional(text, true),
  ALLOW_PRIVATE_WEBHOOKS: setting(flag, 'false'),
  LOG_LEVEL: setting(oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal'), 'info'),
  LOG_FORMAT: setting(oneOf('pretty', 'json'), () => (process.stdout.isTTY ? 'pretty' : 'json')),
} as const satisfies Record<string, Setting<unknown>>;

type Settings = { readonly [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['parse']> };

/** One or more sentences for the operator, which end the start. */
export class ConfigError extends Error {}

/** Invalid settings. The others can still be checked, so that the operator sees all problems at once. */
export class InvalidSettings extends ConfigError {
  constructor(
    problems: readonly string[],
    /** With defaults in place of invalid values. */
    readonly valid: Config,
    private readonly invalid: ReadonlySet<string>,
  ) {
    super(problems.join('\n'));
  }

  /** Whether a sentence is about settings that have an invalid value, which is reported already. */
  concerns(sentence: string): boolean {
    return mentions(sentence, this.invalid);
  }
}

/**
 * The settings of one process, created by `loadConfig`. The standalone program sets DATABASE_URL when its embedded
 * PostgreSQL runs. A class, so that it can be injected without a token.
 */
export class Config {
  constructor(
    readonly program: Program,
    readonly settings: Settings,
    /** Folder of the embedded PostgreSQL that this process runs; null when DATABASE_URL names another server. */
    readonly embeddedDatabase: string | null = null,
    /** Master keys beside the present one, with which links, API keys and secrets may have been made. */
    readonly earlierMasterKeys: readonly Buffer[] = [],
  ) {}

  get dataDir(): string {
    return resolve(this.settings.DATA_DIR);
  }

  /** @throws before the start has read or created it */
  get masterKey(): Buffer {
    if (this.settings.MASTER_KEY === undefined) throw new Error('MASTER_KEY must be known');
    return this.settings.MASTER_KEY;
  }

  /** A copy with some settings replaced. */
  with(changes: Partial<Settings>, earlierMasterKeys = this.earlierMasterKeys): Config {
    const settings = Object.freeze({ ...this.settings, ...changes });
    return new Config(this.program, settings, this.embeddedDatabase, earlierMasterKeys);
  }

  /** A copy for the process that has started the embedded PostgreSQL. */
  withEmbeddedDatabase(server: { url: string; folder: string }): Config {
    return new Config(this.program, this.with({ DATABASE_URL: server.url }).settings, server.folder);
  }

  /** For the log: the settings that differ from their defaults, with masked secrets. */
  describe(): Record<string, unknown> {
    const defaults = loadConfig('cli', {}).settings;
    return Object.fromEntries(
      Object.entries(this.describeAll()).filter(
        ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name as keyof Settings]),
      ),
    );
  }

  /** For `--check-config`: every setting as parsed, with masked secrets. */
  describeAll(): Record<string, unknown> {
    const shown: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(this.settings)) {
      if (value === undefined) continue;
      shown[name] = (SETTINGS[name as keyof Settings] as Setting<unknown>).secret ? '(set)' : value;
    }
    return shown;
  }
}

/**
 * Reads and checks the whole environment.
 * @throws InvalidSettings with one sentence per invalid setting or contradiction
 */
export function loadConfig(program: Program, env: Environment = environment()): Config {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  const invalid = new Set<string>();
  for (const [name, spec] of Object.entries(SETTINGS) as [string, Setting<unknown>][]) {
    const value = env[name]?.trim() || fallbackOf(spec, values as Settings);
    if (value === undefined) continue;
    try {
      values[name] = spec.parse(value);
    } catch (error) {
      invalid.add(name);
      problems.push(`${name} ${(error as Error).message}${spec.secret ? '' : `; it is "${value}"`}.`);
      // Defaults that depend on an invalid setting use its default, so that only the invalid one is reported.
      const fallback = fallbackOf(spec, values as Settings);
      if (fallback !== undefined && fallback !== value) values[name] = spec.parse(fallback);
    }
  }
  problems.push(...contradictions(program, values as Settings, invalid));
  const config = new Config(program, Object.freeze(values) as Settings);
  if (problems.length > 0) throw new InvalidSettings(problems, config, invalid);
  return config;
}

/** The environment of the process, which takes precedence over `.env` in the working directory. */
function environment(): Environment {
  try {
    return { ...parseEnv(readFileSync('.env', 'utf8')), ...process.env };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return process.env;
    throw new ConfigError(`.env cannot be read: ${(error as Error).message}`);
  }
}

function fallbackOf({ fallback }: Setting<unknown>, above: DefaultSources): string | undefined {
  return typeof fallback === 'function' ? fallback(above) : fallback;
}

/**
 * Rules that involve several settings, requirements of a program, and features that this version does not have. A rule that
 * reads an invalid setting is left out: it would judge the default.
 */
function contradictions(program: Program, settings: Settings, invalid: ReadonlySet<string>): string[] {
  const problems: string[] = [];
  const { s, read } = trackReads(settings);
  const need = (ok: boolean, sentence: string) => {
    const isSure = [...read].every((name) => !invalid.has(String(name)));
    if (!ok && isSure) problems.push(sentence);
    read.clear();
  };
  const distributed = program !== 'standalone' && program !== 'cli';
  need(!distributed || s.DATABASE_URL !== undefined, `DATABASE_URL is required by start:${program}.`);
  need(!distributed || s.CLICKHOUSE_URL !== undefined, `CLICKHOUSE_URL is required by start:${program}.`);
  need(program !== 'relay' || s.KAFKA_BROKERS !== undefined, 'KAFKA_BROKERS is required by start:relay.');
  need(
    s.DATABASE_URL === undefined || s.MASTER_KEY !== undefined,
    'MASTER_KEY is required with DATABASE_URL: 32 bytes in base64, for example from: openssl rand -base64 32',
  );
  need(
    s.CLICKHOUSE_CLUSTER === undefined || s.CLICKHOUSE_URL !== undefined,
    'CLICKHOUSE_URL is required with CLICKHOUSE_CLUSTER.',
  );
  need(
    s.CONTENT_STORE !== 's3' || s.CONTENT_S3_BUCKET !== undefined,
    'CONTENT_S3_BUCKET is required with CONTENT_STORE=s3.',
  );
  need(
    (s.CONTENT_S3_ACCESS_KEY_ID === undefined) === (s.CONTENT_S3_SECRET_ACCESS_KEY === undefined),
    'CONTENT_S3_ACCESS_KEY_ID and CONTENT_S3_SECRET_ACCESS_KEY must be set together.',
  );
  need(
    s.DELIVERY_MODE !== 'smarthost' || s.SMARTHOST_URL !== undefined,
    'SMARTHOST_URL is required with DELIVERY_MODE=smarthost.',
  );
  need(
    (s.SMTP_TLS_CERT === undefined) === (s.SMTP_TLS_KEY === undefined),
    'SMTP_TLS_CERT and SMTP_TLS_KEY must be set together.',
  );
  need(
    (s.KAFKA_SASL_USERNAME === undefined) === (s.KAFKA_SASL_PASSWORD === undefined),
    'KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD must be set together.',
  );
  need(s.KAFKA_RETENTION >= 60 * minute, 'KAFKA_RETENTION must be at least 1h.');
  const clashes = [
    periodClashes(settings),
    backupClashes(settings),
    certificateClashes(settings),
    openIdClashes(settings),
    portClashes(program, settings),
  ];
  problems.push(...clashes.flat().filter((sentence) => !mentions(sentence, invalid)));
  need(
    !sendsFromTestDomain(program, s) || isTestNetwork(s),
    `SERVICE_DOMAIN must be a domain of yours with DELIVERY_MODE=mx; ${s.SERVICE_DOMAIN} cannot exist in DNS, so bounces ` +
      'would be lost and most servers would refuse the messages.',
  );
  return problems;
}

/** RFC 2606 and RFC 6761: names that are never delegated, or that belong to documentation. */
const RESERVED_DOMAIN = /(^|\.)(test|example|invalid|localhost|example\.(com|net|org))$/;

function sendsFromTestDomain(program: Program, { DELIVERY_MODE, SERVICE_DOMAIN }: Settings): boolean {
  const delivers = program === 'standalone' || program === 'delivery';
  return delivers && DELIVERY_MODE === 'mx' && RESERVED_DOMAIN.test(SERVICE_DOMAIN);
}

/** An intranet, or a name server of its own, in which the name may exist. */
const isTestNetwork = ({ ALLOW_PRIVATE_MX, DNS_SERVERS, MX_PORT }: Settings): boolean =>
  ALLOW_PRIVATE_MX || DNS_SERVERS !== undefined || MX_PORT !== 25;

/** Sentences about settings that are valid and probably mistakes. */
export function configWarnings({ program, settings }: Config, env: Environment = environment()): string[] {
  return [
    ...nearNameWarnings(Object.keys(env), Object.keys(SETTINGS)),
    ...(sendsFromTestDomain(program, settings) && !settings.ALLOW_PRIVATE_MX
      ? [`SERVICE_DOMAIN is ${settings.SERVICE_DOMAIN}, which does not exist in DNS, although DELIVERY_MODE is mx.`]
      : []),
  ];
}
