import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalDns } from '../../../test/support/dns/local-dns.js';
import { Resolver } from './resolver.js';

const TIMEOUT_MS = 2_000;
const MX = [{ preference: 0, exchange: 'mx.test' }];

/** A resolver that queries slow servers replies late, and to all pending queries at once. */
describe('an answer that takes longer than others', () => {
  let dns: LocalDns;
  let resolver: Resolver;
  beforeEach(async () => {
    dns = await LocalDns.start({ 'late.test': { fault: 'silent' } });
    resolver = new Resolver({ servers: [dns.address], timeoutMs: TIMEOUT_MS });
    // After quick answers c-ares shortens its time-out.
    for (let i = 0; i < 10; i += 1) {
      dns.set(`quick${i}.test`, { MX });
      expect(await resolver.mx(`quick${i}.test`)).toMatchObject({ kind: 'hosts' });
    }
  });
  afterEach(async () => {
    resolver.cancel();
    await dns.close();
  });

  it('is awaited for two time-outs, however fast the others were', async () => {
    setTimeout(() => dns.set('late.test', { MX }), 1.2 * TIMEOUT_MS);
    expect(await resolver.mx('late.test')).toEqual({ kind: 'hosts', hosts: [{ exchange: 'mx.test', preference: 0 }] });
  });

  it('is not awaited longer', async () => {
    const asked = performance.now();
    expect(await resolver.mx('late.test')).toMatchObject({ kind: 'temporary' });
    expect(performance.now() - asked).toBeGreaterThanOrEqual(1.9 * TIMEOUT_MS);
    const questions = dns.questions.filter(({ name, type }) => name === 'late.test' && type === 'MX');
    expect(questions.length).toBeLessThanOrEqual(10);
  });
});

it('a second opinion is requested once, even if the server is silent', async () => {
  const dns = await LocalDns.start();
  const silent = await LocalDns.start();
  silent.isAway = true;
  const resolver = new Resolver({ servers: [dns.address, silent.address], timeoutMs: TIMEOUT_MS });
  expect(await resolver.mx('nowhere.test')).toEqual({ kind: 'no_domain' });
  expect(silent.questions.filter(({ name }) => name === 'nowhere.test')).toHaveLength(1);
  resolver.cancel();
  await Promise.all([dns.close(), silent.close()]);
});

it('names of an address come from DNS, not from the hosts file of this machine', async () => {
  const names = ['Mail.Example.com', 'other.example.com'];
  const dns = await LocalDns.start({
    '1.0.0.127.in-addr.arpa': { PTR: names },
    // RFC 2317: a part of a network, delegated by aliases.
    '9.2.0.192.in-addr.arpa': { CNAME: '9.0-31.2.0.192.in-addr.arpa' },
    '9.0-31.2.0.192.in-addr.arpa': { PTR: ['part.example.com'] },
  });
  const resolver = new Resolver({ servers: [dns.address], timeoutMs: TIMEOUT_MS });
  expect(await resolver.names('127.0.0.1')).toEqual({ kind: 'names', names: names.map((name) => name.toLowerCase()) });
  expect(await resolver.names('192.0.2.9')).toEqual({ kind: 'names', names: ['part.example.com'] });
  expect(await resolver.names('::1')).toEqual({ kind: 'none' });
  const alias = { kind: 'names', names: ['9.0-31.2.0.192.in-addr.arpa'] };
  expect(await resolver.aliases('9.2.0.192.in-addr.arpa')).toEqual(alias);
  expect(await resolver.aliases('9.0-31.2.0.192.in-addr.arpa')).toEqual({ kind: 'none' });
  resolver.cancel();
  await dns.close();
});
