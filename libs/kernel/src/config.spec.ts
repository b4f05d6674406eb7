import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from './config.js';

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
  it('has a default for everything that a standalone needs', () => {
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

  it('follows other settings where a default does', () => {
    const { settings } = loadConfig('standalone', { HTTP_PORT: '8080', SERVICE_DOMAIN: 'Mail.Example.com' });
    expect(settings).toMatchObject({
      PUBLIC_URL: 'http://localhost:8080',
      SERVICE_DOMAIN: 'mail.example.com',
      BOOTSTRAP_DOMAINS: ['sandbox.mail.example.com'],
    });
  });

  it('follows what a setting means, not how it is written', () => {
    for (const unset of ['', '  '])
      expect(loadConfig('standalone', { HTTP_PORT: unset, SERVICE_DOMAIN: unset }).settings).toMatchObject({
        PUBLIC_URL: 'http://localhost:3000',
        BOOTSTRAP_DOMAINS: ['sandbox.postloft.test'],
      });
    expect(
      loadConfig('standalone', { HTTP_PORT: ' 8080 ', SERVICE_DOMAIN: ' Mail.Example.com. ' }).settings,
    ).toMatchObject({ PUBLIC_URL: 'http://localhost:8080', BOOTSTRAP_DOMAINS: ['sandbox.mail.example.com'] });
  });

  it('reports a wrong setting, and what follows from it only where that alone is wrong', () => {
    expect(problemsOf('standalone', { HTTP_PORT: 'x', SERVICE_DOMAIN: 'y' })).toEqual([
      expect.stringMatching(/^HTTP_PORT must be/),
      expect.stringMatching(/^SERVICE_DOMAIN must be/),
    ]);
    const long = `${'a.'.repeat(123)}example`;
    expect(problemsOf('standalone', { SERVICE_DOMAIN: long })).toEqual([
      `BOOTSTRAP_DOMAINS must be a domain name such as mail.example.com; it is "sandbox.${long}".`,
    ]);
  });

  it('says all that is wrong at once, one sentence each, and never a secret', () => {
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

  it('asks the programs of the distributed topology for their engines', () => {
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

  it('stops at values that ask for behaviour which is not there yet, and at half-set pairs', () => {
    expect(problemsOf('standalone', { SIGNUP: 'on' })[0]).toMatch(/^SIGNUP must be off/);
    expect(problemsOf('standalone', { SMTP_TLS_CERT: 'a.pem' })[0]).toMatch(/^SMTP_TLS_CERT and SMTP_TLS_KEY/);
    expect(problemsOf('standalone', { DELIVERY_MODE: 'smarthost' })[0]).toMatch(/^SMARTHOST_URL is required/);
  });

  it('takes every plan and unit that the contract names, and no other', () => {
    for (const plan of ['free', 'unlimited', '1', '9999999999'])
      expect(problemsOf('standalone', { BOOTSTRAP_PLAN: plan, ALLOWANCE_UNIT: 'message' })).toEqual([]);
    for (const plan of ['0', '-1', '1.5', 'gold', '10000000000'])
      expect(problemsOf('standalone', { BOOTSTRAP_PLAN: plan })[0]).toMatch(/^BOOTSTRAP_PLAN must be free, unlimited/);
    expect(problemsOf('standalone', { ALLOWANCE_UNIT: 'byte' })[0]).toMatch(/^ALLOWANCE_UNIT must be one of/);
  });

  it('knows proxies by address, network or the usual names, and says what it does not know', () => {
    for (const TRUST_PROXY of ['off', 'on', 'loopback', '10.0.0.0/8, 192.0.2.7,fd00::/8'])
      expect(problemsOf('standalone', { TRUST_PROXY })).toEqual([]);
    expect(problemsOf('standalone', { TRUST_PROXY: '10.0.0.0/8,proxy' })[0]).toMatch(
      /^TRUST_PROXY must be off, on, or addresses/,
    );
  });

  it('takes durations, lists, pairs and addresses as the contract writes them', () => {
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

  it('takes no duration that no timer could wait where one does, and none beyond a year', () => {
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

  it('reads .env behind the environment', () => {
    const before = process.cwd();
    const dir = mkdtempSync(join(tmpdir(), 'postloft-env-'));
    try {
      writeFileSync(join(dir, '.env'), 'SERVICE_DOMAIN=from-file.example\nHTTP_PORT=4000\n');
      process.chdir(dir);
      process.env['HTTP_PORT'] = '4001';
      expect(loadConfig('standalone').settings).toMatchObject({ SERVICE_DOMAIN: 'from-file.example', HTTP_PORT: 4001 });
    } finally {
      delete process.env['HTTP_PORT'];
      process.chdir(before);
      rmSync(dir, { recursive: true });
    }
  });

  it('masks secrets and leaves out defaults where it describes itself', () => {
    const config = loadConfig('standalone', { MASTER_KEY: key, HTTP_PORT: '1234' });
    expect(config.describe()).toEqual({ MASTER_KEY: '(set)', HTTP_PORT: 1234, PUBLIC_URL: 'http://localhost:1234' });
    expect(config.describeAll()).toMatchObject({ DELIVERY_MODE: 'capture' });
  });
});
