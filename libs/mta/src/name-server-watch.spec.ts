import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CourierFixture, UNLIMITED } from '../../../test/support/courier-fixture.js';
import { LocalDns } from '../../../test/support/local-dns.js';
import type { DnsName } from '../../../test/support/local-dns.js';
import { until } from '../../../test/support/until.js';
import { MxRouter } from './mx-route.js';
import { Resolver } from './resolver.js';
import { SmarthostRouter } from './smarthost-route.js';

const ZONE: Record<string, DnsName> = {
  'well.test': { MX: [{ preference: 10, exchange: 'mx.well.test' }] },
  'mx.well.test': { A: ['127.0.0.1'] },
  'stalled.test': { fault: 'silent' },
  'failing.test': { fault: 'SERVFAIL' },
};
const TIMEOUT_MS = 150;
const GO_AND_COME = 10_000;

let servers: LocalDns[] = [];
let resolver: Resolver;
let told: (string | null)[] = [];

async function serve(count = 1): Promise<LocalDns> {
  servers = await Promise.all(Array.from({ length: count }, () => LocalDns.start(structuredClone(ZONE))));
  resolver = new Resolver({
    servers: servers.map(({ address }) => address),
    timeoutMs: TIMEOUT_MS,
    onOutage: (text) => told.push(text),
  });
  return servers[0];
}

/** Whether it is the name servers' fault that the question about this domain had no answer. */
async function blamed(domain: string): Promise<boolean> {
  const since = performance.now();
  expect((await resolver.mx(domain)).kind).toBe('temporary');
  return resolver.wasAway(since);
}

beforeEach(() => void (told = []));
afterEach(async () => {
  vi.useRealTimers();
  resolver.cancel();
  await Promise.all(servers.map((server) => server.close()));
});

describe('name servers that answer something', () => {
  it('are there while a zone stalls, whether others are asked for or not', async () => {
    await serve();
    const alone = await blamed('stalled.test');
    const [beside] = await Promise.all([
      blamed('stalled.test'),
      ...Array.from({ length: 20 }, () => resolver.mx('well.test')),
    ]);
    expect([alone, beside, resolver.outage]).toEqual([false, false, null]);
    expect(told).toEqual([]);
  });

  it('are there when all they say is SERVFAIL', async () => {
    const dns = await serve();
    dns.set('.', { fault: 'SERVFAIL' });
    expect(await blamed('failing.test')).toBe(false);
    expect(dns.questions.map(({ name }) => name)).not.toContain('.');
    expect(await blamed('stalled.test')).toBe(false);
  });

  it('are there as long as one of them answers', async () => {
    const dns = await serve(2);
    dns.isAway = true;
    expect(await blamed('stalled.test')).toBe(false);
    expect((await resolver.mx('well.test')).kind).toBe('hosts');
  });

  it('are probed once in a second, however many questions are in doubt', async () => {
    const dns = await serve();
    for (let i = 0; i < 60; i += 1) dns.set(`stalled-${i}.test`, { fault: 'silent' });
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 60 }, (_, i) => blamed(`stalled-${i}.test`)));
    const probes = dns.questions.filter(({ name }) => name === '.').length;
    expect(probes).toBeLessThanOrEqual(2 + (performance.now() - startedAt) / 1_000);
  });
});

describe('name servers that answer nothing', () => {
  it(
    'are away at the first question that shows it, told once, and back without one',
    { timeout: GO_AND_COME },
    async () => {
      const dns = await serve();
      expect((await resolver.mx('well.test')).kind).toBe('hosts');
      dns.isAway = true;
      expect(await Promise.all([blamed('one.test'), blamed('two.test')])).toEqual([true, true]);
      const text = `No name server answers: ${dns.address}.`;
      expect(resolver.outage).toBe(text);
      // What is known stays known.
      expect((await resolver.mx('well.test')).kind).toBe('hosts');

      dns.isAway = false;
      await until(() => Promise.resolve(resolver.outage === null), { withinMs: 4_000 });
      expect((await resolver.addresses('mx.well.test')).kind).toBe('addresses');
      expect(told).toEqual([text, null]);
    },
  );

  it('are away when nobody listens there', async () => {
    const dns = await serve();
    await dns.close();
    servers = [];
    expect(await blamed('well.test')).toBe(true);
  });

  it('are not asked for each mail', async () => {
    const dns = await serve();
    dns.isAway = true;
    await blamed('first.test');
    const before = dns.questions.length;
    await Promise.all(Array.from({ length: 200 }, (_, i) => blamed(`more-${i}.test`)));
    expect(dns.questions.length - before).toBeLessThanOrEqual(2);
  });

  it('are to blame also for what fails only after they are back', { timeout: GO_AND_COME }, async () => {
    const dns = await serve();
    const since = performance.now();
    dns.isAway = true;
    await blamed('first.test');
    dns.isAway = false;
    await until(() => Promise.resolve(resolver.outage === null), { withinMs: 4_000 });
    expect(await resolver.wasAway(since)).toBe(true);
    expect(await resolver.wasAway(performance.now())).toBe(false);
  });

  it('are believed to be back by any answer, where somebody on the way swallows the probe', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const dns = await serve();
    dns.set('.', { fault: 'silent' });
    dns.isAway = true;
    await blamed('first.test');
    dns.isAway = false;
    vi.advanceTimersByTime(5_000);
    expect((await resolver.mx('well.test')).kind).toBe('hosts');
    expect(resolver.outage).toBeNull();
  });

  it('lead to no route and to no queue, nor to a smarthost that has a name', async () => {
    const dns = await serve();
    const router = new MxRouter(resolver, { port: 25, allowPrivate: true, ownAddresses: [] });
    dns.isAway = true;
    const found = await Promise.all([
      router.route('well.test'),
      router.destination('well.test'),
      new SmarthostRouter(resolver, 'smtp://relay.test').route(),
    ]);
    expect(found).toEqual([{ kind: 'no_dns' }, null, { kind: 'no_dns' }]);
    expect((await new SmarthostRouter(resolver, 'smtp://127.0.0.1').route()).kind).toBe('targets');
  });

  it('make no attempt of it', async () => {
    await serve();
    const fixture = await CourierFixture.start({ timeouts: { ...UNLIMITED, connect: TIMEOUT_MS } });
    fixture.dns.isAway = true;
    expect((await fixture.deliver('one@to.test', 'two@to.test')).map(({ kind }) => kind)).toEqual([
      'abandoned',
      'abandoned',
    ]);
    await fixture.close();
  });
});
