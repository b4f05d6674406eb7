import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LocalDns } from '../../../../test/support/dns/local-dns.js';
import type { DnsName } from '../../../../test/support/dns/local-dns.js';
import { DaneAvailability } from './dane-availability.js';
import type { DaneState } from './dane-availability.js';

const TIMEOUT_MS = 150;

let dns: LocalDns;

beforeEach(async () => {
  dns = await LocalDns.start({
    'to.test': { MX: [{ preference: 1, exchange: 'MX.to.test' }], isProved: true },
    'mx.to.test': { A: ['127.0.0.1'], isProved: true },
    '_25._tcp.mx.to.test': {
      TLSA: [{ usage: 3, selector: 1, matchingType: 1, certificate: Buffer.alloc(32, 1) }],
      isProved: true,
    },
  });
});
afterEach(async () => {
  vi.useRealTimers();
  await dns.close();
});

describe('the availability of DANE', () => {
  const stateOf = (settings: { mode?: 'auto' | 'off'; servers: string[] }) =>
    new Promise<[DaneState, DaneAvailability]>((resolve) => {
      const made: { dane?: DaneAvailability } = {};
      const onState = (state: DaneState) => queueMicrotask(() => made.dane && resolve([state, made.dane]));
      made.dane = new DaneAvailability({ mode: 'auto', mxPort: 25, timeoutMs: TIMEOUT_MS, onState, ...settings });
    });

  it.each<[string, DnsName, boolean, RegExp]>([
    [
      'validates signatures',
      { isProved: true },
      true,
      /^DANE is on: the resolver 127\.0\.0\.1:\d+ checks signatures\.$/,
    ],
    [
      'does not validate',
      {},
      false,
      /^DANE is off: the resolver 127\.0\.0\.1:\d+ does not check signatures \(DNSSEC\)\.$/,
    ],
    ['fails', { fault: 'SERVFAIL' }, false, /^DANE is off: .* does not answer \(SOA question for \.: SERVFAIL\)\.$/],
    ['is silent', { fault: 'silent' }, false, /^DANE is off: .* does not answer/],
  ])('if the resolver on this machine %s', async (_, root, on, text) => {
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

  it('causes no query per message while DANE is off', async () => {
    const [, dane] = await stateOf({ servers: [dns.address] });
    const before = dns.questions.length;
    for (let i = 0; i < 100; i += 1) expect(await dane.find('to.test', 'mx.to.test', false)).toEqual({ kind: 'none' });
    expect(dns.questions).toHaveLength(before);
  });

  it('is probed again if the resolver was not ready, and then DANE stays on', async () => {
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
