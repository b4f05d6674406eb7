import { describe, expect, it } from 'vitest';
import { ConfigError, configWarnings, loadConfig } from './config.js';

const problemsOf = (...args: Parameters<typeof loadConfig>): string[] => {
  try {
    loadConfig(...args);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message.split('\n');
  }
};
const key = Buffer.alloc(32, 1).toString('base64');

describe('loadConfig', () => {
  it('has defaults for all settings of the standalone program', () => {
    const { settings } = loadConfig('standalone', {});
    expect(settings).toMatchObject({
      HTTP_PORT: 3000,
      PUBLIC_URL: 'http://localhost:3000',
      DELIVERY_MODE: 'capture',
      DELIVERY_LIFETIME: 259_200_000,
    });
    expect(settings.BOOTSTRAP_DOMAINS).toEqual(['sandbox.postloft.test']);
    expect(Object.isFrozen(settings)).toBe(true);
  });

  it('derives defaults from other settings', () => {
    const { settings } = loadConfig('standalone', { HTTP_PORT: '8080', SERVICE_DOMAIN: 'Mail.Example.com' });
    expect(settings).toMatchObject({
      PUBLIC_URL: 'http://localhost:8080',
      SERVICE_DOMAIN: 'mail.example.com',
      BOOTSTRAP_DOMAINS: ['sandbox.mail.example.com'],
    });
  });

  it('derives defaults from parsed values', () => {
    for (const unset of ['', '  '])
      expect(loadConfig('standalone', { HTTP_PORT: unset, SERVICE_DOMAIN: unset }).settings).toMatchObject({
        PUBLIC_URL: 'http://localhost:3000',
        BOOTSTRAP_DOMAINS: ['sandbox.postloft.test'],
      });
    expect(
      loadConfig('standalone', { HTTP_PORT: ' 8080 ', SERVICE_DOMAIN: ' Mail.Example.com. ' }).settings,
    ).toMatchObject({ PUBLIC_URL: 'http://localhost:8080', BOOTSTRAP_DOMAINS: ['sandbox.mail.example.com'] });
  });

  it('reports an invalid setting, and not the defaults derived from it', () => {
    expect(problemsOf('standalone', { HTTP_PORT: 'x', SERVICE_DOMAIN: 'y' })).toEqual([
      expect.stringMatching(/^HTTP_PORT must be/),
      expect.stringMatching(/^SERVICE_DOMAIN must be/),
    ]);
    const long = `${'a.'.repeat(123)}example`;
    expect(problemsOf('standalone', { SERVICE_DOMAIN: long })).toEqual([
      `BOOTSTRAP_DOMAINS must be a domain name such as mail.example.com; it is "sandbox.${long}".`,
    ]);
  });

  it('takes a short word as the region', () => {
    expect(loadConfig('standalone', {}).settings.REGION).toBe('eu');
    expect(loadConfig('standalone', { REGION: ' us-east-1 ' }).settings.REGION).toBe('us-east-1');
    for (const wrong of ['e', 'EU', 'eu-', 'eu west', 'ä1', 'x'.repeat(33)])
      expect(problemsOf('standalone', { REGION: wrong })).toEqual([
        `REGION must be 2 to 32 lower-case letters, digits and hyphens, such as eu or us-east-1; it is "${wrong}".`,
      ]);
  });

  it('reads sizes and waits of the database', () => {
    expect(loadConfig('standalone', {}).settings).toMatchObject({
      DATABASE_POOL_SIZE: 16,
      DATABASE_POOL_WAIT: 1_500,
      DISK_LOW_WATER: 512 * 1024 ** 2,
    });
    const given = { DATABASE_POOL_SIZE: '40', DATABASE_POOL_WAIT: '5s', DISK_LOW_WATER: '2GiB' };
    expect(loadConfig('standalone', given).settings).toMatchObject({
      DATABASE_POOL_SIZE: 40,
      DATABASE_POOL_WAIT: 5_000,
      DISK_LOW_WATER: 2 * 1024 ** 3,
    });
    expect(loadConfig('standalone', { DISK_LOW_WATER: '0' }).settings.DISK_LOW_WATER).toBe(0);
    for (const DISK_LOW_WATER of ['512', '512MB', '-1MiB', '1.5GiB'])
      expect(problemsOf('standalone', { DISK_LOW_WATER })).toEqual([
        `DISK_LOW_WATER must be a size such as 512MiB or 2GiB (KiB, MiB, GiB, TiB), or 0 for none; it is "${DISK_LOW_WATER}".`,
      ]);
    expect(problemsOf('standalone', { DATABASE_POOL_WAIT: '0s', DATABASE_POOL_SIZE: '2' })).toEqual([
      'DATABASE_POOL_SIZE must be a whole number from 8 to 500; it is "2".',
      'DATABASE_POOL_WAIT must be a duration of at least 100ms, such as 1500ms or 5s; it is "0s".',
    ]);
  });

  it('reports all problems at once, in one sentence each, without secrets', () => {
    const problems = problemsOf('standalone', {
      HTTP_PORT: '99999',
      SIGNUP: 'maybe',
      DELIVERY_RETRY_SCHEDULE: 'soon',
      MASTER_KEY: 'c2VjcmV0',
    });
    expect(problems).toHaveLength(4);
    expect(problems.join('\n')).toMatch(/HTTP_PORT must be a port number from 0 to 65535; it is "99999"\./);
    expect(problems.join('\n')).not.toContain('c2VjcmV0');
  });

  it('requires the engines for the programs of the distributed topology', () => {
    expect(problemsOf('gateway', {}).join(' ')).toMatch(
      /DATABASE_URL is required by start:gateway.*CLICKHOUSE_URL is required/,
    );
    expect(problemsOf('gateway', { DATABASE_URL: 'postgres://u:p@h/d', CLICKHOUSE_URL: 'http://h:8123/d' })[0]).toMatch(
      /^MASTER_KEY is required/,
    );
    expect(
      problemsOf('gateway', { DATABASE_URL: 'postgres://u:p@h/d', CLICKHOUSE_URL: 'http://h:8123/d', MASTER_KEY: key }),
    ).toEqual([]);
  });

  it('refuses statistics of single events that are kept for a shorter time than the event log', () => {
    const sentence = 'STATS_RAW_DAYS must not be shorter than RETENTION_EVENTS: 29 days are less than 30.';
    for (const program of ['standalone', 'cli'] as const)
      expect(problemsOf(program, { STATS_RAW_DAYS: '29' })).toEqual([sentence]);
    expect(problemsOf('standalone', { RETENTION_EVENTS: '2161h' })).toEqual([
      'STATS_RAW_DAYS must not be shorter than RETENTION_EVENTS: 90 days are less than 90.05.',
    ]);
    expect(problemsOf('standalone', { STATS_RAW_DAYS: '30' })).toEqual([]);
    expect(problemsOf('standalone', { STATS_RAW_DAYS: '2', RETENTION_EVENTS: '36h' })).toEqual([]);
  });

  it('checks the settings of the dashboard', () => {
    const oidc = { OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'a', OIDC_CLIENT_SECRET: 'b' };
    expect(problemsOf('standalone', oidc)).toEqual([]);
    expect(problemsOf('standalone', { ...oidc, OIDC_ISSUER: 'http://127.0.0.1:8080/realm' })).toEqual([]);
    expect(problemsOf('standalone', { ...oidc, OIDC_ISSUER: 'http://id.example.com' })).toEqual([
      'OIDC_ISSUER must be an https URL, unless the provider runs on this machine.',
    ]);
    expect(problemsOf('standalone', { OIDC_CLIENT_ID: 'a' })[0]).toMatch(/^OIDC_ISSUER, OIDC_CLIENT_ID and/);
    expect(problemsOf('standalone', { BOOTSTRAP_ADMIN_PASSWORD: 'elevenchars' })).toEqual([
      'BOOTSTRAP_ADMIN_PASSWORD must have 12 to 1000 characters.',
    ]);
    expect(problemsOf('standalone', { BOOTSTRAP_ADMIN_EMAIL: 'admin' })[0]).toMatch(/must be an email address/);
  });

  it('rejects listeners of one program on one port', () => {
    const same = { SMTP_PORT: '2525', OPS_PORT: '3000' };
    expect(problemsOf('standalone', same)).toEqual([
      'HTTP_PORT and OPS_PORT must differ; both are 3000.',
      'SMTP_PORT and INBOUND_SMTP_PORT must differ; both are 2525.',
    ]);
    expect(problemsOf('standalone', { HTTP_PORT: '2587', HTTP_HOST: '0.0.0.0' })).toEqual([
      'HTTP_PORT and SMTP_PORT must differ; both are 2587.',
    ]);
    expect(problemsOf('standalone', { HTTP_PORT: '2587', HTTP_HOST: '192.0.2.1' })).toEqual([]);
    expect(
      problemsOf('standalone', { HTTP_PORT: '0', SMTP_PORT: '0', SMTPS_PORT: '0', INBOUND_SMTP_PORT: '0' }),
    ).toEqual([]);
    expect(problemsOf('cli', same)).toEqual([]);
    const engines = { DATABASE_URL: 'postgres://u:p@h/d', CLICKHOUSE_URL: 'http://h:8123/d', MASTER_KEY: key };
    expect(problemsOf('delivery', { ...engines, ...same })).toEqual([]);
    expect(problemsOf('smtp', { ...engines, ...same })).toHaveLength(1);
  });

  it.each(['kafka', 'kafka:', 'kafka:9092,other', 'http://kafka:9092', ',', 'kafka:123456'])(
    'rejects brokers without a port: %s',
    (KAFKA_BROKERS) => {
      expect(problemsOf('standalone', { KAFKA_BROKERS })[0]).toMatch(/^KAFKA_BROKERS must be .* host:port/);
    },
  );

  it('accepts brokers with a port', () => {
    const { settings } = loadConfig('standalone', {
      KAFKA_BROKERS: 'kafka-1.example.com:9092, 10.0.0.1:9092,[::1]:9092',
    });
    expect(settings.KAFKA_BROKERS).toEqual(['kafka-1.example.com:9092', '10.0.0.1:9092', '[::1]:9092']);
  });

  it('rejects delivery to the internet from a domain that cannot exist', () => {
    for (const SERVICE_DOMAIN of [undefined, 'post.example.com', 'mail.invalid'])
      expect(problemsOf('standalone', { DELIVERY_MODE: 'mx', SERVICE_DOMAIN })).toEqual([
        expect.stringMatching(/^SERVICE_DOMAIN must be a domain of yours with DELIVERY_MODE=mx/),
      ]);
    expect(problemsOf('standalone', { DELIVERY_MODE: 'mx', SERVICE_DOMAIN: 'post.example.de' })).toEqual([]);
    for (const test of [{ ALLOW_PRIVATE_MX: 'true' }, { DNS_SERVERS: '127.0.0.1:5353' }, { MX_PORT: '2526' }])
      expect(problemsOf('standalone', { DELIVERY_MODE: 'mx', ...test })).toEqual([]);
    expect(problemsOf('cli', { DELIVERY_MODE: 'mx' })).toEqual([]);
  });

  it('warns of names that are nearly those of settings', () => {
    const env = {
      SMTP_PROT: '1',
      KAFKA_BROKER: 'a:1',
      POSTLOFT_HTTP_PORT: '1',
      DELIVERY_MODES: 'mx',
      HTTP_PROXY: 'http://proxy',
      http_port: '1',
      PATH: '/bin',
      HOME: '/',
      DELIVERY_MODE: 'capture',
      POSTGRES_URL: 'x',
    };
    expect(configWarnings(loadConfig('standalone', env), env)).toEqual([
      'DELIVERY_MODES is not a setting and has no effect. Did you mean DELIVERY_MODE?',
      'KAFKA_BROKER is not a setting and has no effect. Did you mean KAFKA_BROKERS?',
      'POSTLOFT_HTTP_PORT is not a setting and has no effect. Did you mean HTTP_PORT?',
      'SMTP_PROT is not a setting and has no effect. Did you mean SMTP_PORT?',
    ]);
  });

  it('reads weights of plans', () => {
    expect(loadConfig('standalone', {}).settings.PLAN_WEIGHTS).toEqual({});
    const { settings } = loadConfig('standalone', { PLAN_WEIGHTS: 'unlimited=10, 50000=2' });
    expect(settings.PLAN_WEIGHTS).toEqual({ unlimited: 10, '50000': 2 });
    for (const PLAN_WEIGHTS of ['unlimited', 'free=0', 'free=11', 'free=1.5', 'paid=2', '0=2', 'free=1,free=2'])
      expect(problemsOf('standalone', { PLAN_WEIGHTS })[0]).toMatch(/^PLAN_WEIGHTS must be a comma-separated list of/);
  });

  it('reads the types of attachments', () => {
    expect(loadConfig('standalone', {}).settings.ATTACHMENT_TYPES).toBeUndefined();
    expect(loadConfig('standalone', { ATTACHMENT_TYPES: 'ALL' }).settings.ATTACHMENT_TYPES).toBe('all');
    const { settings } = loadConfig('standalone', { ATTACHMENT_TYPES: 'Text/Calendar, application/json' });
    expect(settings.ATTACHMENT_TYPES).toEqual(['text/calendar', 'application/json']);
    const underscore = loadConfig('standalone', { ATTACHMENT_TYPES: 'application/x-own_type' });
    expect(underscore.settings.ATTACHMENT_TYPES).toEqual(['application/x-own_type']);
    for (const ATTACHMENT_TYPES of ['ics', 'all,text/calendar', 'text/*'])
      expect(problemsOf('standalone', { ATTACHMENT_TYPES })[0]).toMatch(/^ATTACHMENT_TYPES must be all, or/);
  });

  it('rejects incomplete pairs', () => {
    expect(problemsOf('standalone', { SMTP_TLS_CERT: 'a.pem' })[0]).toMatch(/^SMTP_TLS_CERT and SMTP_TLS_KEY/);
    expect(problemsOf('standalone', { DELIVERY_MODE: 'smarthost' })[0]).toMatch(/^SMARTHOST_URL is required/);
  });

  it('accepts every documented plan and unit, and no other', () => {
    for (const plan of ['free', 'unlimited', '1', '9999999999'])
      expect(problemsOf('standalone', { BOOTSTRAP_PLAN: plan, ALLOWANCE_UNIT: 'message' })).toEqual([]);
    for (const plan of ['0', '-1', '1.5', 'gold', '10000000000'])
      expect(problemsOf('standalone', { BOOTSTRAP_PLAN: plan })[0]).toMatch(/^BOOTSTRAP_PLAN must be free, unlimited/);
    expect(problemsOf('standalone', { ALLOWANCE_UNIT: 'byte' })[0]).toMatch(/^ALLOWANCE_UNIT must be one of/);
  });

  it('accepts proxies by address, network or group name, and rejects others', () => {
    for (const TRUST_PROXY of ['off', 'on', 'loopback', '10.0.0.0/8, 192.0.2.7,fd00::/8'])
      expect(problemsOf('standalone', { TRUST_PROXY })).toEqual([]);
    expect(problemsOf('standalone', { TRUST_PROXY: '10.0.0.0/8,proxy' })[0]).toMatch(
      /^TRUST_PROXY must be off, on, or addresses/,
    );
  });

  it('accepts durations, lists, pairs and addresses in the documented form', () => {
    const { settings } = loadConfig('standalone', {
      DELIVERY_RETRY_SCHEDULE: '1s, 2m,3h',
      SMTP_OUT_TIMEOUTS: 'connect=1s,total=5s',
      DNS_SERVERS: '127.0.0.1:5353,[::1]:53,9.9.9.9',
      DKIM_SIGNING: 'off',
    });
    expect(settings.DELIVERY_RETRY_SCHEDULE).toEqual([1_000, 120_000, 10_800_000]);
    expect(settings.SMTP_OUT_TIMEOUTS).toMatchObject({ connect: 1_000, total: 5_000, dot: 600_000 });
    expect(settings.DNS_SERVERS).toHaveLength(3);
    expect(settings.DKIM_SIGNING).toBe(false);
  });

  it('accepts a penalty pool by name or as addresses', () => {
    const parsed = (PENALTY_POOL: string) => loadConfig('standalone', { PENALTY_POOL }).settings.PENALTY_POOL;
    expect(parsed('bad')).toEqual({ pool: 'bad' });
    expect(parsed('192.0.2.9=Smtp9.example.org, 2001:db8::9')).toEqual({
      sources: [
        { address: '192.0.2.9', helo: 'smtp9.example.org' },
        { address: '2001:db8::9', helo: null },
      ],
    });
    for (const [PENALTY_POOL, sentence] of [
      ['192.0.2.300', 'must be the name of a pool'],
      ['bad,192.0.2.9', 'must be the name of a pool'],
      ['192.0.2.9=smtp', 'must be a domain name'],
      ['192.0.2.9,192.0.2.9', 'must have each address once'],
      [',', 'must not be empty'],
    ])
      expect(problemsOf('standalone', { PENALTY_POOL })[0]).toContain(`PENALTY_POOL ${sentence}`);
  });

  it('rejects durations that are too long for a timer where one is used, and any above a year', () => {
    expect(
      problemsOf('standalone', {
        DELIVERY_RETRY_SCHEDULE: '1m,30d',
        DELIVERY_LIFETIME: '366d',
        WEBHOOK_RETRY_SCHEDULE: '5s,60d',
        WEBHOOK_TIMEOUT: '24d',
        DOMAIN_CHECK_INTERVAL: '24d',
        SMTP_OUT_TIMEOUTS: 'total=576h',
      }),
    ).toEqual([]);
    expect(
      problemsOf('standalone', {
        DELIVERY_RETRY_SCHEDULE: '1m,366.1d',
        DELIVERY_LIFETIME: '10000000000d',
        WEBHOOK_RETRY_SCHEDULE: '5s,soon',
        WEBHOOK_TIMEOUT: '24.1d',
        DOMAIN_CHECK_INTERVAL: '1 minute',
        SMTP_OUT_TIMEOUTS: 'total=577h',
      }),
    ).toEqual([
      'DELIVERY_RETRY_SCHEDULE must be a duration of at most 366d; it is "1m,366.1d".',
      'DELIVERY_LIFETIME must be a duration of at most 366d; it is "10000000000d".',
      'SMTP_OUT_TIMEOUTS must be a duration of at most 24d; it is "total=577h".',
      'WEBHOOK_RETRY_SCHEDULE must be a duration such as 500ms, 30s, 15m, 4h or 3d, of at most 366d; it is "5s,soon".',
      'WEBHOOK_TIMEOUT must be a duration of at most 24d; it is "24.1d".',
      'DOMAIN_CHECK_INTERVAL must be a duration such as 500ms, 30s, 15m, 4h or 3d, of at most 24d; it is "1 minute".',
    ]);
  });

  it('describes itself without defaults and with masked secrets', () => {
    const config = loadConfig('standalone', { MASTER_KEY: key, HTTP_PORT: '1234' });
    expect(config.describe()).toEqual({ MASTER_KEY: '(set)', HTTP_PORT: 1234, PUBLIC_URL: 'http://localhost:1234' });
    expect(config.describeAll()).toMatchObject({ DELIVERY_MODE: 'capture' });
  });
});

describe('settings that contradict each other', () => {
  const problemsOf = (env: Record<string, string>, program: 'standalone' | 'gateway' = 'standalone'): string[] => {
    try {
      loadConfig(program, env);
      return [];
    } catch (error) {
      return (error as Error).message.split('\n');
    }
  };

  it('are named together with invalid ones', () => {
    expect(problemsOf({ SMTP_PORT: '3000', DELIVERY_MODE: 'pigeon', HTTP_TLS_CERT: 'cert.pem' })).toEqual([
      expect.stringMatching(/^DELIVERY_MODE must be one of/),
      'HTTP_TLS_CERT and HTTP_TLS_KEY must be set together.',
      'HTTP_PORT and SMTP_PORT must differ; both are 3000.',
    ]);
  });

  it.each<[string, Record<string, string>, 'standalone' | 'gateway']>([
    ['HTTP_PORT', { HTTP_PORT: 'abc', SMTP_PORT: '3000' }, 'standalone'],
    ['DATABASE_URL', { DATABASE_URL: 'nothing', CLICKHOUSE_URL: 'http://localhost:8123' }, 'gateway'],
    ['MX_PORT', { MX_PORT: 'abc', DELIVERY_MODE: 'mx' }, 'standalone'],
    ['DELIVERY_MODE', { DELIVERY_MODE: 'pigeon', MX_PORT: '2500' }, 'standalone'],
  ])('are not named because of the default of an invalid one: %s', (name, env, program) => {
    expect(problemsOf(env, program)).toEqual([expect.stringMatching(`^${name} `)]);
  });
});
