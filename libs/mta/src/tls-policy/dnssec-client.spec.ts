import dgram from 'node:dgram';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LocalDns } from '../../../../test/support/local-dns.js';
import type { DnsName } from '../../../../test/support/local-dns.js';
import { DaneSwitch } from './dane-switch.js';
import type { DaneState } from './dane-switch.js';
import { DnssecClient } from './dnssec-client.js';
import { dnsPlace } from './dns-exchange.js';

const TIMEOUT_MS = 150;
const record = (fill: number) => ({ usage: 3, selector: 1, matchingType: 1, certificate: Buffer.alloc(32, fill) });

let dns: LocalDns;
let client: DnssecClient;

beforeEach(async () => {
  dns = await LocalDns.start({
    'to.test': { MX: [{ preference: 1, exchange: 'MX.to.test' }], isProved: true },
    'mx.to.test': { A: ['127.0.0.1'], isProved: true },
    'alias.test': { CNAME: 'mx.to.test', isProved: true },
    'plain.test': { MX: [{ preference: 1, exchange: 'mx.to.test' }] },
    '_25._tcp.mx.to.test': { TLSA: [record(1)], isProved: true },
    '_26._tcp.mx.to.test': { TLSA: Array.from({ length: 40 }, (_, i) => record(i)), isProved: true },
    'failing.test': { fault: 'SERVFAIL' },
    'refusing.test': { fault: 'REFUSED' },
    'silent.test': { fault: 'silent' },
    'malformed.test': { fault: 'malformed' },
  });
  client = new DnssecClient(dnsPlace(dns.address), TIMEOUT_MS);
});
afterEach(async () => {
  vi.useRealTimers();
  await dns.close();
});

describe('an answer', () => {
  it('is secure when the resolver says so, and only then', async () => {
    expect(await client.ask('to.test', 'MX')).toMatchObject({ kind: 'answer', secure: true, values: ['mx.to.test'] });
    expect(await client.ask('plain.test', 'MX')).toMatchObject({ kind: 'answer', secure: false });
    expect(await client.ask('nowhere.test', 'MX')).toMatchObject({ kind: 'answer', secure: false, values: [] });
  });

  it('follows aliases and names where they lead', async () => {
    const found = { secure: true, values: ['127.0.0.1'], alias: 'mx.to.test' };
    expect(await client.ask('alias.test', 'A')).toMatchObject(found);
    expect(await client.ask('mx.to.test', 'A')).toMatchObject({ alias: null });
  });

  it('that does not fit is asked for again over TCP', async () => {
    const answer = await client.ask('_26._tcp.mx.to.test', 'TLSA');
    expect(answer.kind === 'answer' && answer.tlsa.length).toBe(40);
    expect(dns.questions.map(({ over }) => over)).toEqual(['udp', 'tcp']);
  });

  it('is kept as long as it says, and equal questions at once are one', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    await Promise.all(Array.from({ length: 20 }, () => client.ask('to.test', 'MX')));
    vi.advanceTimersByTime(59_000);
    await client.ask('to.test', 'MX');
    expect(dns.questions).toHaveLength(1);
    vi.advanceTimersByTime(2_000);
    await client.ask('to.test', 'MX');
    expect(dns.questions).toHaveLength(2);
  });

  it.each([
    ['failing.test', 'SERVFAIL'],
    ['refusing.test', 'REFUSED'],
    ['silent.test', 'no answer in time'],
    ['malformed.test', 'no answer in time'],
  ])('from %s is a failure, and is not kept', async (name, reason) => {
    expect(await client.ask(name, 'TLSA')).toEqual({ kind: 'failed', reason: `TLSA question for ${name}: ${reason}` });
    dns.set(name, { isProved: true });
    expect(await client.ask(name, 'TLSA')).toMatchObject({ kind: 'answer', secure: true });
  });

  it('to another question is not heard', async () => {
    const liar = dgram.createSocket('udp4');
    await new Promise<void>((resolve) => liar.bind(0, '127.0.0.1', resolve));
    liar.on('message', (message, peer) => {
      const forged = Buffer.from(message);
      forged.writeUInt16BE((forged.readUInt16BE(0) + 1) % 65_536);
      forged.writeUInt16BE(0x81a0, 2);
      liar.send(forged, peer.port, peer.address);
    });
    const answer = await new DnssecClient(dnsPlace(`127.0.0.1:${liar.address().port}`), TIMEOUT_MS).ask('a.test', 'MX');
    liar.close();
    expect(answer).toMatchObject({ kind: 'failed' });
  });
});

describe('whether DANE is on', () => {
  const stateOf = (settings: { mode?: 'auto' | 'off'; servers: string[] }) =>
    new Promise<[DaneState, DaneSwitch]>((resolve) => {
      const made: { dane?: DaneSwitch } = {};
      const onState = (state: DaneState) => queueMicrotask(() => made.dane && resolve([state, made.dane]));
      made.dane = new DaneSwitch({ mode: 'auto', mxPort: 25, timeoutMs: TIMEOUT_MS, onState, ...settings });
    });

  it.each<[string, DnsName, boolean, RegExp]>([
    ['checks signatures', { isProved: true }, true, /^DANE is on: the resolver 127\.0\.0\.1:\d+ checks signatures\.$/],
    ['does not', {}, false, /^DANE is off: the resolver 127\.0\.0\.1:\d+ does not check signatures \(DNSSEC\)\.$/],
    ['fails', { fault: 'SERVFAIL' }, false, /^DANE is off: .* does not answer \(SOA question for \.: SERVFAIL\)\.$/],
    ['is silent', { fault: 'silent' }, false, /^DANE is off: .* does not answer/],
  ])('where the resolver on this machine %s', async (_, root, on, text) => {
    dns.set('.', root);
    const [state] = await stateOf({ servers: [dns.address, '1.1.1.1'] });
    expect(state).toEqual({ on, text: expect.stringMatching(text) as string });
  });

  it.each([
    [['1.1.1.1', '127.0.0.1'], 'DANE is off: the resolver 1.1.1.1 is not on this machine.'],
    [['10.0.0.1:5353'], 'DANE is off: the resolver 10.0.0.1:5353 is not on this machine.'],
    [['[2606:4700::1111]:53'], 'DANE is off: the resolver [2606:4700::1111]:53 is not on this machine.'],
    [['127.0.0.11'], 'DANE is off: the resolver 127.0.0.11 only forwards, and does not check signatures itself.'],
    [['127.0.0.53'], 'DANE is off: the resolver 127.0.0.53 only forwards, and does not check signatures itself.'],
  ])('with %s', async (servers, text) => {
    expect((await stateOf({ servers }))[0]).toEqual({ on: false, text });
  });

  it('asks nothing per mail while it is off', async () => {
    const [, dane] = await stateOf({ servers: [dns.address] });
    const before = dns.questions.length;
    for (let i = 0; i < 100; i += 1) expect(await dane.find('to.test', 'mx.to.test', false)).toEqual({ kind: 'none' });
    expect(dns.questions).toHaveLength(before);
  });

  it('is looked at again when the resolver was not ready, and then stays on', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    dns.set('.', { fault: 'SERVFAIL' });
    const [, dane] = await stateOf({ servers: [dns.address] });
    dns.set('.', { isProved: true });
    expect(await dane.find('to.test', 'mx.to.test', false)).toEqual({ kind: 'none' });
    vi.advanceTimersByTime(60_001);
    expect(await dane.find('to.test', 'mx.to.test', false)).toMatchObject({
      kind: 'usable',
      names: ['mx.to.test', 'to.test'],
    });
    dns.set('.', { fault: 'SERVFAIL' });
    dns.set('other.test', { fault: 'SERVFAIL' });
    vi.advanceTimersByTime(60_001);
    expect(await dane.find('other.test', 'mx.to.test', false)).toMatchObject({ kind: 'failed' });
  });
});

it('a name server is written as address, with or without a port', () => {
  expect(['9.9.9.9', '9.9.9.9:5353', '[::1]:5353', '[::1]', '::1'].map(dnsPlace)).toEqual([
    { address: '9.9.9.9', port: 53 },
    { address: '9.9.9.9', port: 5353 },
    { address: '::1', port: 5353 },
    { address: '::1', port: 53 },
    { address: '::1', port: 53 },
  ]);
});
