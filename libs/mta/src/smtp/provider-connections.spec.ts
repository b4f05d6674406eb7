import { afterEach, describe, expect, it } from 'vitest';
import { CourierFixture } from '../../../../test/support/delivery/courier-fixture.js';
import { planOf } from '../../../../test/support/delivery/throttling-fixture.js';
import { MailboxProviders } from '../routing/mailbox-providers.js';

/** A provider with three equal hosts and one limit for all of them. */
async function threeHosts(pace: object) {
  const plan = planOf({ providers: { letterbox: { mx: 'to.test', ...pace } } });
  const fixture = await CourierFixture.start({ providers: new MailboxProviders(plan) });
  const servers = await fixture.serve({}, {}, {});
  fixture.dns.set('to.test', {
    MX: [1, 2, 3].map((i) => ({ preference: 10, exchange: `mx${i}.to.test` })),
  });
  const open = () => servers.flatMap(({ sessions }) => sessions).filter((session) => session.open).length;
  return { fixture, servers, open };
}

describe('connections to a provider', () => {
  let fixture: CourierFixture;
  afterEach(() => fixture.close());

  it('are counted over all of its hosts: an idle one is closed when another host needs one', async () => {
    const { open, servers, ...rest } = await threeHosts({ connections: 1 });
    ({ fixture } = rest);
    for (let i = 0; i < 12; i += 1) {
      const [outcome] = await fixture.deliver();
      expect(outcome).toMatchObject({ kind: 'delivered', remote: { provider: 'letterbox' } });
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(open()).toBe(1);
    }
    expect(servers.flatMap(({ sessions }) => sessions).length).toBeGreaterThan(1);
    expect(servers.flatMap(({ sessions }) => sessions).some(({ commands }) => commands.includes('QUIT'))).toBe(true);
  });

  it('may exceed the usual maximum per host', async () => {
    const plan = planOf({ providers: { letterbox: { mx: 'to.test', connections: 8 } } });
    fixture = await CourierFixture.start({ providers: new MailboxProviders(plan), connectionsPerHost: 2 });
    const [mx] = await fixture.serve({ on: { dot: { drip: '250 2.0.0 taken', everyMs: 10 } } });
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => fixture.deliver()));
    expect(outcomes.flat().map(({ kind }) => kind)).toEqual(Array<string>(8).fill('delivered'));
    expect(mx.mostOpen).toBe(8);
  });

  it('end after the number of messages in the plan', async () => {
    const { servers, ...rest } = await threeHosts({ connections: 1, mails_per_connection: 1 });
    ({ fixture } = rest);
    for (let i = 0; i < 4; i += 1) await fixture.deliver();
    expect(servers.flatMap(({ sessions }) => sessions)).toHaveLength(4);
  });
});
