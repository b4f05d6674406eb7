import { Resolver } from '#libs/dns';
import { afterEach, describe, expect, it } from 'vitest';
import { LocalDns } from '../../../../test/support/dns/local-dns.js';
import type { DnsName, DnsQuestion } from '../../../../test/support/dns/local-dns.js';
import { MxRouter, type MxRouterOptions } from './mx-router.js';
import type { Route } from './route.js';

const PUBLIC = '11.1.1.1';
const PUBLIC6 = '2001:41d0::1';

let dns: LocalDns | undefined;

afterEach(async () => {
  await dns?.close();
  dns = undefined;
});

async function router(zone: Record<string, DnsName>, rules: Partial<MxRouterOptions> = {}): Promise<MxRouter> {
  const server = await LocalDns.start(zone);
  dns = server;
  const resolver = new Resolver({ servers: [server.address], timeoutMs: 150 });
  return new MxRouter(resolver, { port: 25, allowPrivate: false, ownAddresses: [], ...rules });
}

async function route(zone: Record<string, DnsName>, rules: Partial<MxRouterOptions> = {}): Promise<Route> {
  return (await router(zone, rules)).route('to.test');
}

function questions(): DnsQuestion[] {
  return dns?.questions ?? [];
}

function addresses(found: Route): string[] {
  if (found.kind === 'dns_unavailable') return [];
  return found.kind === 'endpoints' ? found.endpoints.map((endpoint) => endpoint.address) : [found.reply.text];
}

function mx(...names: string[]): DnsName {
  return { MX: names.map((exchange, i) => ({ preference: 10 * i, exchange })) };
}

describe('the DNS answer for a domain', () => {
  it('null MX bounces at once, without address queries', async () => {
    const found = await route({ 'to.test': { MX: [{ preference: 0, exchange: '.' }], A: [PUBLIC] } });
    expect(found).toMatchObject({ kind: 'bounced', class: 'bad_domain', reply: { code: 556, enhanced: '5.1.10' } });
    expect(questions().map((question) => question.type)).toEqual(['MX']);
  });

  it('an empty MX beside others is ignored', async () => {
    const zone = { 'to.test': mx('.', 'a.test'), 'a.test': { A: [PUBLIC] } };
    expect(addresses(await route(zone))).toEqual([PUBLIC]);
  });

  it('without MX leads to the addresses of the domain itself', async () => {
    const found = await route({ 'to.test': { A: [PUBLIC], AAAA: ['2a00::1'] } });
    expect(addresses(found)).toEqual([PUBLIC, '2a00::1']);
    expect(found).toMatchObject({ endpoints: [{ host: 'to.test', port: 25, tls: 'opportunistic' }, {}] });
  });

  it.each<[string, Record<string, DnsName>]>([
    ['no such domain', {}],
    ['neither MX nor address', { 'to.test': { TXT: ['x'] } }],
  ])('%s is deferred in a form that a second attempt may bounce', async (_, zone) => {
    const found = await route(zone);
    expect(found).toMatchObject({ kind: 'deferred', class: 'bad_domain', reply: { code: null, enhanced: '5.1.2' } });
  });

  it.each([
    ['SERVFAIL', 'failed (SERVFAIL)'],
    ['REFUSED', 'refused to answer (REFUSED)'],
    ['malformed', 'answered what does not read'],
    ['silent', 'did not answer in time'],
  ] as const)('%s defers with the reason', async (fault, words) => {
    const text = `MX question for to.test: the name server ${words}`;
    const found = await route({ 'to.test': { fault } });
    expect(found).toMatchObject({ kind: 'deferred', class: 'deferral', reply: { enhanced: '4.4.3', text } });
  });

  it('a CNAME loop defers and does not count as an absent MX', async () => {
    const found = await route({ 'to.test': { CNAME: 'other.test' }, 'other.test': { CNAME: 'to.test' } });
    expect(found).toMatchObject({ kind: 'deferred', class: 'deferral', reply: { enhanced: '4.4.3' } });
  });

  it.each(['A', 'AAAA'])('an alias of a host without MX leads to its address (%s)', async (type) => {
    const address = type === 'A' ? PUBLIC : PUBLIC6;
    const zone = { 'to.test': { CNAME: 'alias.test' }, 'alias.test': { CNAME: 'host.test' } };
    expect(addresses(await route({ ...zone, 'host.test': { [type]: [address] } }))).toEqual([address]);
  });

  it('an alias of a name without records has neither MX nor address', async () => {
    const zone = { 'to.test': { CNAME: 'host.test' }, 'host.test': { TXT: ['x'] } };
    expect(await route(zone)).toMatchObject({ kind: 'deferred', class: 'bad_domain', reply: { enhanced: '5.1.2' } });
  });

  it('an alias whose target cannot be looked up defers', async () => {
    const zone = { 'to.test': { CNAME: 'host.test' }, 'host.test': { fault: 'SERVFAIL' } } as const;
    expect(await route(zone)).toMatchObject({ kind: 'deferred', reply: { enhanced: '4.4.3' } });
  });

  it('a CNAME is followed', async () => {
    const zone = { 'to.test': { CNAME: 'real.test' }, 'real.test': mx('a.test'), 'a.test': { A: [PUBLIC] } };
    expect(addresses(await route(zone))).toEqual([PUBLIC]);
  });

  it('an MX that is an IP address is ignored', async () => {
    const zone = { 'to.test': mx('11.2.2.2', 'a.test'), 'a.test': { A: [PUBLIC] } };
    expect(addresses(await route(zone))).toEqual([PUBLIC]);
    await dns?.close();
    expect(await route({ 'to.test': mx('11.2.2.2') })).toMatchObject({ kind: 'bounced', reply: { enhanced: '5.4.4' } });
  });

  it('200 MX hosts come over TCP and give five addresses', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `mx${i}.test`);
    const zone = Object.fromEntries(names.map((name, i) => [name, { A: [`11.1.1.${i + 1}`] }]));
    const found = await route({ ...zone, 'to.test': mx(...names) });
    expect(addresses(found)).toEqual(['11.1.1.1', '11.1.1.2', '11.1.1.3', '11.1.1.4', '11.1.1.5']);
    expect(
      questions()
        .filter((question) => question.over === 'tcp')
        .map((question) => question.type),
    ).toEqual(['MX']);
  });

  it('one MX host that cannot be looked up does not hide the other', async () => {
    const zone: Record<string, DnsName> = {
      'to.test': mx('a.test', 'b.test'),
      'a.test': { fault: 'SERVFAIL' },
      'b.test': { A: [PUBLIC] },
    };
    expect(addresses(await route(zone))).toEqual([PUBLIC]);
  });

  it('MX hosts without any address defer, because the operator of the domain may be changing it', async () => {
    expect(await route({ 'to.test': mx('a.test') })).toMatchObject({ kind: 'deferred', class: 'routing' });
  });

  it.each(['[11.1.1.1]', '11.1.1.1'])('the literal %s is not routed', async (domain) => {
    const found = await (await router({})).route(domain);
    expect(found).toMatchObject({ kind: 'bounced', class: 'routing' });
    expect(questions()).toEqual([]);
  });
});

describe('the order', () => {
  it('is by preference, and random among equals', async () => {
    const equal = ['a.test', 'b.test', 'c.test'].map((exchange) => ({ preference: 5, exchange }));
    const routes = await router({
      'to.test': {
        MX: [{ preference: 90, exchange: 'last.test' }, ...equal, { preference: 1, exchange: 'first.test' }],
      },
      'a.test': { A: ['11.0.0.1'] },
      'b.test': { A: ['11.0.0.2'] },
      'c.test': { A: ['11.0.0.3'] },
      'first.test': { A: ['11.0.0.4'] },
      'last.test': { A: ['11.0.0.5'] },
    });
    const seconds = new Map<string, number>();
    for (let i = 0; i < 3000; i += 1) {
      const found = addresses(await routes.route('to.test'));
      expect([found[0], found[4]]).toEqual(['11.0.0.4', '11.0.0.5']);
      seconds.set(found[1], (seconds.get(found[1]) ?? 0) + 1);
    }
    expect(seconds.size).toBe(3);
    for (const count of seconds.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
    expect(questions().filter((question) => question.type === 'MX')).toHaveLength(1);
  });
});

describe('five addresses', () => {
  it('are of several hosts and both families', async () => {
    const four = (net: number) => Array.from({ length: 9 }, (_, i) => `11.0.${net}.${i + 1}`);
    const found = await route({
      'to.test': mx('a.test', 'b.test'),
      'a.test': { A: four(1), AAAA: ['2a00::1', '2a00::2'] },
      'b.test': { A: four(2) },
    });
    expect(addresses(found)).toHaveLength(5);
    expect(new Set(addresses(found))).toEqual(new Set(['11.0.1.1', '11.0.1.2', '2a00::1', '2a00::2', '11.0.2.1']));
    expect(addresses(found).at(-1)).toBe('11.0.2.1');
  });
});

it('a domain that one server does not know is looked up at the others', async () => {
  const [behind, knowing] = [
    await LocalDns.start(),
    await LocalDns.start({ 'to.test': { MX: [{ preference: 0, exchange: '.' }] } }),
  ];
  const resolver = new Resolver({ servers: [behind.address, knowing.address], timeoutMs: 150 });
  expect(await resolver.mx('to.test')).toEqual({ kind: 'null_mx' });
  expect(await resolver.mx('nowhere.test')).toEqual({ kind: 'no_domain' });
  await knowing.close();
  expect(await resolver.mx('to.test')).toEqual({ kind: 'no_domain' });
  await behind.close();
});

describe('private addresses', () => {
  it.each([
    ['127.0.0.1'],
    ['127.9.9.9'],
    ['0.0.0.0'],
    ['10.1.2.3'],
    ['172.16.0.1'],
    ['192.168.1.1'],
    ['169.254.169.254'],
    ['100.64.0.1'],
    ['224.0.0.1'],
    ['255.255.255.255'],
    ['168.63.129.16'],
    ['192.0.2.1'],
    ['198.18.0.1'],
    ['::1'],
    ['::'],
    ['fe80::1'],
    ['fd00::1'],
    ['::ffff:10.0.0.1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['2002:7f00:1::'],
    ['2001:db8::1'],
    ['::7f00:1'],
    ['4000::1'],
  ])('%s', async (address) => {
    const type = address.includes(':') ? 'AAAA' : 'A';
    expect(await route({ 'to.test': { [type]: [address] } })).toMatchObject({ reply: { enhanced: '5.4.4' } });
  });

  it('bounce the message if there are no others', async () => {
    const zone = {
      'to.test': mx('a.test'),
      'a.test': { A: ['127.0.0.1', '169.254.169.254'], AAAA: ['::ffff:10.0.0.1'] },
    };
    expect(await route(zone)).toMatchObject({ kind: 'bounced', class: 'routing', reply: { enhanced: '5.4.4' } });
  });

  it('defer the message while the address of another host cannot be looked up', async () => {
    const zone: Record<string, DnsName> = {
      'to.test': mx('broken.test', 'private.test'),
      'broken.test': { fault: 'SERVFAIL' },
      'private.test': { A: ['127.0.0.1'] },
    };
    expect(await route(zone)).toMatchObject({ kind: 'deferred', reply: { enhanced: '4.4.3' } });
  });

  it('are excluded if there are others', async () => {
    expect(addresses(await route({ 'to.test': { A: ['10.0.0.1', PUBLIC] } }))).toEqual([PUBLIC]);
  });

  it('are used if the operator allows them', async () => {
    expect(addresses(await route({ 'to.test': { A: ['10.0.0.1'] } }, { allowPrivate: true }))).toEqual(['10.0.0.1']);
  });
});

describe('our own listener in the list', () => {
  const zone = {
    'to.test': mx('a.test', 'b.test', 'c.test'),
    'a.test': { A: ['11.0.0.1'] },
    'b.test': { A: ['11.0.0.2'] },
    'c.test': { A: ['11.0.0.3'] },
  };

  it('excludes hosts of the same or a higher preference value, or there would be a loop', async () => {
    const found = await route(zone, { ownAddresses: [{ address: '11.0.0.2', port: 25 }] });
    expect(addresses(found)).toEqual(['11.0.0.1']);
  });

  it('on another port is another server', async () => {
    const found = await route(zone, { ownAddresses: [{ address: '11.0.0.2', port: 2525 }] });
    expect(addresses(found)).toHaveLength(3);
  });

  it('on every address of the machine is found under each of them', async () => {
    const own = { allowPrivate: true, ownAddresses: [{ address: '0.0.0.0', port: 25 }] };
    expect(await route({ 'to.test': { A: ['127.0.0.7'] } }, own)).toMatchObject({
      kind: 'bounced',
      reply: { enhanced: '5.4.4' },
    });
  });
});

describe('answers', () => {
  it('are cached, equal concurrent queries are sent once, failures are queried again', async () => {
    const routes = await router({
      'to.test': mx('a.test'),
      'a.test': { A: [PUBLIC] },
      'bad.test': { fault: 'SERVFAIL' },
    });
    await Promise.all(Array.from({ length: 20 }, () => routes.route('to.test')));
    await routes.route('to.test');
    expect(questions()).toHaveLength(3);
    await routes.route('bad.test');
    dns?.set('bad.test', { A: [PUBLIC] });
    expect(addresses(await routes.route('bad.test'))).toEqual([PUBLIC]);
  });
});
