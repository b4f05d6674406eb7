import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalDns } from '../../../test/support/dns/local-dns.js';
import { TargetResolver, TargetUnresolved } from './target-resolver.js';

const LATE_MS = 2_400;

describe('the name of a target whose own servers are slow', () => {
  let dns: LocalDns;
  let resolver: TargetResolver;
  beforeEach(async () => {
    dns = await LocalDns.start({ 'late.test': { fault: 'silent' } });
    resolver = new TargetResolver({ allowPrivate: true, dnsServers: [dns.address] });
    // After quick answers c-ares shortens its time-out.
    for (let i = 0; i < 10; i += 1) {
      dns.set(`quick${i}.test`, { A: ['127.0.0.1'] });
      expect(await resolver.addresses(`quick${i}.test`)).toEqual(['127.0.0.1']);
    }
  });
  afterEach(() => dns.close());

  it('resolves when they answer within the time of two queries', async () => {
    setTimeout(() => dns.set('late.test', { A: ['127.0.0.2'] }), LATE_MS);
    expect(await resolver.addresses('late.test')).toEqual(['127.0.0.2']);
  });

  it('does not resolve when they never answer', async () => {
    await expect(resolver.addresses('late.test')).rejects.toThrow(TargetUnresolved);
  });
});
