import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Resolver } from '#libs/dns';
import { CourierFixture, UNLIMITED } from '../../../../test/support/delivery/courier-fixture.js';
import { LocalDns } from '../../../../test/support/dns/local-dns.js';
import { MxRouter } from './mx-router.js';
import { SmarthostRouter } from './smarthost-router.js';

const TIMEOUT_MS = 150;

describe('name servers that do not answer', () => {
  let dns: LocalDns;
  let resolver: Resolver;
  beforeEach(async () => {
    dns = await LocalDns.start({ 'well.test': { MX: [{ preference: 10, exchange: 'mx.well.test' }] } });
    resolver = new Resolver({ servers: [dns.address], timeoutMs: TIMEOUT_MS });
  });
  afterEach(async () => {
    resolver.cancel();
    await dns.close();
  });

  it('give no route and no queue, not even to a smarthost that has a name', async () => {
    const router = new MxRouter(resolver, { port: 25, allowPrivate: true, ownAddresses: [] });
    dns.isAway = true;
    const found = await Promise.all([
      router.route('well.test'),
      router.destination('well.test'),
      new SmarthostRouter(resolver, 'smtp://relay.test').route(),
    ]);
    expect(found).toEqual([{ kind: 'dns_unavailable' }, null, { kind: 'dns_unavailable' }]);
    expect((await new SmarthostRouter(resolver, 'smtp://127.0.0.1').route()).kind).toBe('endpoints');
  });

  it('do not cost a message an attempt', async () => {
    const fixture = await CourierFixture.start({ timeouts: { ...UNLIMITED, connect: TIMEOUT_MS } });
    fixture.dns.isAway = true;
    expect((await fixture.deliver('one@to.test', 'two@to.test')).map(({ kind }) => kind)).toEqual([
      'abandoned',
      'abandoned',
    ]);
    await fixture.close();
  });
});
