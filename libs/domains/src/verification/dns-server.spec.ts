import { afterEach, beforeEach, expect, it } from 'vitest';
import { LocalDns } from '../../../../test/support/local-dns.js';
import { DnsServer } from './dns-server.js';

const LATE_MS = 2_400;
let dns: LocalDns;
let server: DnsServer;

beforeEach(async () => {
  dns = await LocalDns.start({ 'late.test': { fault: 'silent' } });
  server = new DnsServer([dns.address]);
  // From quick answers c-ares learns to wait less.
  for (let i = 0; i < 10; i += 1) {
    dns.set(`quick${i}.test`, { TXT: ['here'] });
    expect(await server.texts(`quick${i}.test`)).toEqual({ kind: 'found', values: ['here'] });
  }
});
afterEach(() => dns.close());

it('a slow answer counts, however quick the others were', async () => {
  setTimeout(() => dns.set('late.test', { TXT: ['late'] }), LATE_MS);
  expect(await server.texts('late.test')).toEqual({ kind: 'found', values: ['late'] });
});

it('a question that was broken off is not asked again', async () => {
  const asking = server.texts('late.test');
  setTimeout(() => server.cancel(), 200);
  expect(await asking).toEqual({ kind: 'no_answer', reason: 'the check took too long' });
  expect(dns.questions.filter(({ name }) => name === 'late.test')).toHaveLength(1);
});
