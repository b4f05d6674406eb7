import { afterEach, beforeEach, expect, it } from 'vitest';
import { LocalDns } from '../../../test/support/dns/local-dns.js';
import { UncachedResolver } from './uncached-resolver.js';

const LATE_MS = 2_400;
let dns: LocalDns;
let server: UncachedResolver;

beforeEach(async () => {
  dns = await LocalDns.start({ 'late.test': { fault: 'silent' } });
  server = new UncachedResolver([dns.address]);
  // After quick answers c-ares shortens its time-out.
  for (let i = 0; i < 10; i += 1) {
    dns.set(`quick${i}.test`, { TXT: ['here'] });
    expect(await server.texts(`quick${i}.test`)).toEqual({ kind: 'found', values: ['here'] });
  }
});
afterEach(() => dns.close());

it('a slow answer is accepted, however fast the others were', async () => {
  setTimeout(() => dns.set('late.test', { TXT: ['late'] }), LATE_MS);
  expect(await server.texts('late.test')).toEqual({ kind: 'found', values: ['late'] });
});

it('a cancelled query is not repeated', async () => {
  const asking = server.texts('late.test');
  setTimeout(() => server.cancel(), 200);
  expect(await asking).toEqual({ kind: 'no_answer', reason: 'the check took too long' });
  expect(dns.questions.filter(({ name }) => name === 'late.test')).toHaveLength(1);
});
