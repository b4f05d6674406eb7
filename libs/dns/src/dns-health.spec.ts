import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LocalDns } from '../../../test/support/dns/local-dns.js';
import type { DnsName } from '../../../test/support/dns/local-dns.js';
import { until } from '../../../test/support/timing/until.js';
import { Resolver } from './resolver.js';

const ZONE: Record<string, DnsName> = {
  'well.test': { MX: [{ preference: 10, exchange: 'mx.well.test' }] },
  'mx.well.test': { A: ['127.0.0.1'] },
  'stalled.test': { fault: 'silent' },
  'failing.test': { fault: 'SERVFAIL' },
};
const TIMEOUT_MS = 150;
const OUTAGE_TEST_MS = 10_000;

let servers: LocalDns[] = [];
let resolver: Resolver;
let reported: (string | null)[] = [];

async function serve(count = 1): Promise<LocalDns> {
  servers = await Promise.all(Array.from({ length: count }, () => LocalDns.start(structuredClone(ZONE))));
  resolver = new Resolver({
    servers: servers.map(({ address }) => address),
    timeoutMs: TIMEOUT_MS,
    onOutage: (text) => reported.push(text),
  });
  return servers[0];
}

/** Queries a domain that gets no answer; true if the name servers were unavailable. */
async function failsByOutage(domain: string): Promise<boolean> {
  const since = performance.now();
  expect((await resolver.mx(domain)).kind).toBe('temporary');
  return resolver.wasUnavailable(since);
}

beforeEach(() => void (reported = []));
afterEach(async () => {
  vi.useRealTimers();
  resolver.cancel();
  await Promise.all(servers.map((server) => server.close()));
});

describe('name servers with any reply', () => {
  it('are available while one zone stalls, with and without other queries', async () => {
    await serve();
    const alone = await failsByOutage('stalled.test');
    const [beside] = await Promise.all([
      failsByOutage('stalled.test'),
      ...Array.from({ length: 20 }, () => resolver.mx('well.test')),
    ]);
    expect([alone, beside, resolver.outage]).toEqual([false, false, null]);
    expect(reported).toEqual([]);
  });

  it('are available when they reply SERVFAIL only', async () => {
    const dns = await serve();
    dns.set('.', { fault: 'SERVFAIL' });
    expect(await failsByOutage('failing.test')).toBe(false);
    expect(dns.questions.map(({ name }) => name)).not.toContain('.');
    expect(await failsByOutage('stalled.test')).toBe(false);
  });

  it('are available as long as one of them replies', async () => {
    const dns = await serve(2);
    dns.isAway = true;
    expect(await failsByOutage('stalled.test')).toBe(false);
    expect((await resolver.mx('well.test')).kind).toBe('hosts');
  });

  it('are probed once a second, whatever the number of failed queries', async () => {
    const dns = await serve();
    for (let i = 0; i < 60; i += 1) dns.set(`stalled-${i}.test`, { fault: 'silent' });
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 60 }, (_, i) => failsByOutage(`stalled-${i}.test`)));
    const probes = dns.questions.filter(({ name }) => name === '.').length;
    expect(probes).toBeLessThanOrEqual(2 + (performance.now() - startedAt) / 1_000);
  });
});

describe('name servers without a reply', () => {
  it(
    'are unavailable after the first failed query, reported once, and recover without a query',
    { timeout: OUTAGE_TEST_MS },
    async () => {
      const dns = await serve();
      expect((await resolver.mx('well.test')).kind).toBe('hosts');
      dns.isAway = true;
      expect(await Promise.all([failsByOutage('one.test'), failsByOutage('two.test')])).toEqual([true, true]);
      const text = `No name server answers: ${dns.address}.`;
      expect(resolver.outage).toBe(text);
      // Cached answers are still returned.
      expect((await resolver.mx('well.test')).kind).toBe('hosts');

      dns.isAway = false;
      await until(() => Promise.resolve(resolver.outage === null), { withinMs: 4_000 });
      expect((await resolver.addresses('mx.well.test')).kind).toBe('addresses');
      expect(reported).toEqual([text, null]);
    },
  );

  it('are unavailable when the connection is refused', async () => {
    const dns = await serve();
    await dns.close();
    servers = [];
    expect(await failsByOutage('well.test')).toBe(true);
  });

  it('are not queried per message', async () => {
    const dns = await serve();
    dns.isAway = true;
    await failsByOutage('first.test');
    const before = dns.questions.length;
    await Promise.all(Array.from({ length: 200 }, (_, i) => failsByOutage(`more-${i}.test`)));
    expect(dns.questions.length - before).toBeLessThanOrEqual(2);
  });

  it('explain queries that fail only after the recovery', { timeout: OUTAGE_TEST_MS }, async () => {
    const dns = await serve();
    const since = performance.now();
    dns.isAway = true;
    await failsByOutage('first.test');
    dns.isAway = false;
    await until(() => Promise.resolve(resolver.outage === null), { withinMs: 4_000 });
    expect(await resolver.wasUnavailable(since)).toBe(true);
    expect(await resolver.wasUnavailable(performance.now())).toBe(false);
  });

  it('recover with any reply, even if a forwarder drops the probe', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const dns = await serve();
    dns.set('.', { fault: 'silent' });
    dns.isAway = true;
    await failsByOutage('first.test');
    dns.isAway = false;
    vi.advanceTimersByTime(5_000);
    expect((await resolver.mx('well.test')).kind).toBe('hosts');
    expect(resolver.outage).toBeNull();
  });
});
