import dgram from 'node:dgram';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LocalDns } from '../../../test/support/dns/local-dns.js';
import { DnssecClient } from './dnssec-client.js';
import { parseServer } from './dns-exchange.js';

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
  client = new DnssecClient([dns.address], TIMEOUT_MS);
});
afterEach(async () => {
  vi.useRealTimers();
  await dns.close();
});

describe('an answer', () => {
  it('is secure only if the resolver sets the AD bit', async () => {
    expect(await client.ask('to.test', 'MX')).toMatchObject({ kind: 'answer', secure: true, values: ['mx.to.test'] });
    expect(await client.ask('plain.test', 'MX')).toMatchObject({ kind: 'answer', secure: false });
    expect(await client.ask('nowhere.test', 'MX')).toMatchObject({ kind: 'answer', secure: false, values: [] });
  });

  it('follows aliases and contains the name at their end', async () => {
    const found = { secure: true, values: ['127.0.0.1'], alias: 'mx.to.test' };
    expect(await client.ask('alias.test', 'A')).toMatchObject(found);
    expect(await client.ask('mx.to.test', 'A')).toMatchObject({ alias: null });
  });

  it('that was truncated is requested again over TCP', async () => {
    // No time-out that a busy machine could reach: a repeated query would be counted.
    const answer = await new DnssecClient([dns.address], 10_000).ask('_26._tcp.mx.to.test', 'TLSA');
    expect(answer.kind === 'answer' && answer.tlsa.length).toBe(40);
    expect(dns.questions.map(({ over }) => over)).toEqual(['udp', 'tcp']);
  });

  it('is cached for its TTL, and equal concurrent queries are sent once', async () => {
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
  ])('from %s is a failure, and is not cached', async (name, reason) => {
    expect(await client.ask(name, 'TLSA')).toEqual({ kind: 'failed', reason: `TLSA question for ${name}: ${reason}` });
    dns.set(name, { isProved: true });
    expect(await client.ask(name, 'TLSA')).toMatchObject({ kind: 'answer', secure: true });
  });

  it('to another query is ignored', async () => {
    const liar = dgram.createSocket('udp4');
    await new Promise<void>((resolve) => liar.bind(0, '127.0.0.1', resolve));
    liar.on('message', (message, peer) => {
      const forged = Buffer.from(message);
      forged.writeUInt16BE((forged.readUInt16BE(0) + 1) % 65_536);
      forged.writeUInt16BE(0x81a0, 2);
      liar.send(forged, peer.port, peer.address);
    });
    const answer = await new DnssecClient([`127.0.0.1:${liar.address().port}`], TIMEOUT_MS).ask('a.test', 'MX');
    liar.close();
    expect(answer).toMatchObject({ kind: 'failed' });
  });
});

it('a name server is an address with or without a port', () => {
  expect(['9.9.9.9', '9.9.9.9:5353', '[::1]:5353', '[::1]', '::1'].map(parseServer)).toEqual([
    { address: '9.9.9.9', port: 53 },
    { address: '9.9.9.9', port: 5353 },
    { address: '::1', port: 5353 },
    { address: '::1', port: 53 },
    { address: '::1', port: 53 },
  ]);
});
