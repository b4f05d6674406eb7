import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalDns } from '../../../test/support/dns/local-dns.js';
import { UncachedResolver } from './uncached-resolver.js';
import { zoneServers } from './zone-servers.js';

let dns: LocalDns;
beforeAll(async () => {
  dns = await LocalDns.start({
    'example.com': { NS: ['ns1.provider.net', 'NS2.provider.net.'] },
    'sub.delegated.org': { NS: ['ns.trap.net', 'ns2.provider.net'] },
    'delegated.org': { NS: ['ns1.provider.net'] },
    'ns1.provider.net': { A: ['8.8.8.8', '8.8.4.4'] },
    'ns2.provider.net': { A: ['10.0.0.1'], AAAA: ['2001:4860:4860::8888'] },
    'ns.trap.net': { A: ['127.0.0.1', '169.254.169.254'], AAAA: ['::1'] },
    com: { NS: ['ns1.provider.net'] },
    'dark.net': { NS: ['ns.trap.net'] },
    'broken.net': { fault: 'SERVFAIL' },
  });
});
afterAll(() => dns.close());
const find = (domain: string) => zoneServers(domain, new UncachedResolver([dns.address]));

describe('the name servers of a zone', () => {
  it('are found at the domain or at one of its parents', async () => {
    for (const domain of ['example.com', 'a.mail.example.com']) {
      const { apex, addresses } = await find(domain);
      expect([apex, addresses.sort()]).toEqual(['example.com', ['8.8.8.8:53', '[2001:4860:4860::8888]:53']]);
    }
    expect(await find('mail.sub.delegated.org')).toEqual({
      apex: 'sub.delegated.org',
      addresses: ['[2001:4860:4860::8888]:53'],
    });
  });

  it('are never those of a registry', async () => {
    expect(await find('other.com')).toEqual({ apex: '', addresses: [] });
    expect(dns.questions.some(({ name, type }) => name === 'com' && type === 'NS')).toBe(false);
  });

  it('are never inside our own network', async () => {
    expect((await find('dark.net')).addresses).toEqual([]);
  });

  it('are unknown if DNS does not answer', async () => {
    expect(await find('mail.broken.net')).toEqual({ apex: '', addresses: [] });
  });
});

describe('UncachedResolver', () => {
  it('joins the strings of a TXT record, and distinguishes absence from a missing answer', async () => {
    const long = 'x'.repeat(600);
    dns.set('long.test', { TXT: [long, 'short'] });
    dns.set('alias.test', { CNAME: 'Long.test' });
    dns.set('away.test', { CNAME: 'elsewhere.test' });
    dns.set('loop.test', { CNAME: 'loop.test' });
    const server = new UncachedResolver([dns.address]);
    expect(await server.texts('long.test')).toEqual({ kind: 'found', values: [long, 'short'] });
    expect(await server.texts('alias.test')).toEqual({ kind: 'found', values: [long, 'short'] });
    expect(await server.aliases('alias.test')).toEqual({ kind: 'found', values: ['long.test'] });
    for (const name of ['away.test', 'loop.test']) {
      expect(await server.texts(name), name).toEqual({ kind: 'none' });
      // An authoritative server cannot follow an alias that leads out of its zone.
      expect(await new UncachedResolver([dns.address], 'zone').texts(name), name).toMatchObject({ kind: 'no_answer' });
    }
    expect(await server.texts('absent.test')).toEqual({ kind: 'none' });
    expect(await server.texts('com')).toEqual({ kind: 'none' });
    expect(await server.texts('broken.net')).toMatchObject({ kind: 'no_answer' });
  });

  it('stops after the first time-out', async () => {
    dns.set('silent.test', { fault: 'silent' });
    const server = new UncachedResolver([dns.address]);
    expect(await server.texts('silent.test')).toMatchObject({
      kind: 'no_answer',
      reason: expect.stringContaining('in time'),
    });
    const asked = dns.questions.length;
    expect(await server.texts('long.test')).toMatchObject({ kind: 'no_answer' });
    expect(dns.questions.length).toBe(asked);
  });

  it('can be cancelled', async () => {
    const server = new UncachedResolver([dns.address]);
    const answer = server.texts('silent.test');
    server.cancel();
    expect(await answer).toMatchObject({ kind: 'no_answer', reason: 'the check took too long' });
  });
});
