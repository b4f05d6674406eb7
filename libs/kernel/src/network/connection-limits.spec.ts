import { describe, expect, it } from 'vitest';
import { loadConfig } from '../config/config.js';
import { Log } from '../logging/log.js';
import { ConnectionLimiter, httpConnectionLimit, smtpConnectionLimit } from './connection-limits.js';

const admit = (counts: ConnectionLimiter, ...addresses: string[]) => addresses.map((address) => counts.admit(address));

describe('ConnectionLimiter', () => {
  it('refuses connections beyond the limit of a network, drops them beyond twice the limit, and serves others', () => {
    const counts = new ConnectionLimiter({ perNetwork: 2 });
    expect(admit(counts, 'a', 'a', 'a', 'a', 'a', 'b')).toEqual([
      'serve',
      'serve',
      'refuse',
      'refuse',
      'drop',
      'serve',
    ]);
  });

  it('counts a /64 as one network', () => {
    const counts = new ConnectionLimiter({ perNetwork: 1 });
    expect(admit(counts, '2001:db8::1', '2001:db8::2', '2001:db8:0:1::1')).toEqual(['serve', 'refuse', 'serve']);
  });

  it('serves again after connections were released', () => {
    const counts = new ConnectionLimiter({ perNetwork: 1 });
    admit(counts, 'a', 'a');
    counts.release('a');
    counts.release('a');
    expect(admit(counts, 'a')).toEqual(['serve']);
  });

  it('refuses connections beyond the overall limit', () => {
    const counts = new ConnectionLimiter({ perNetwork: 10, overall: 2 });
    expect(admit(counts, 'a', 'b', 'c', 'd', 'e')).toEqual(['serve', 'serve', 'refuse', 'refuse', 'drop']);
  });

  it('drops connections beyond the given multiple of a limit', () => {
    const counts = new ConnectionLimiter({ perNetwork: 4, dropFactor: 1.25 });
    expect(admit(counts, ...'aaaaaa')).toEqual(['serve', 'serve', 'serve', 'serve', 'refuse', 'drop']);
  });
});

describe('the connections of one process', () => {
  it('over SMTP leave open files for those over HTTP', () => {
    const log = Log.quiet();
    const of = (program: 'smtp' | 'standalone', connections: string) =>
      loadConfig(program, {
        DATABASE_URL: 'postgres://localhost',
        CLICKHOUSE_URL: 'http://localhost',
        MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
        HTTP_CONNECTIONS: connections,
      });
    expect(httpConnectionLimit(of('standalone', '10'))).toBe(10);
    const few = smtpConnectionLimit(of('standalone', '10'), log);
    expect(smtpConnectionLimit(of('standalone', '100000'), log)).toBeLessThanOrEqual(few);
    expect(smtpConnectionLimit(of('smtp', '100000'), log)).toBeGreaterThanOrEqual(few);
  });
});
