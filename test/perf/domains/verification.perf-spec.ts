import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { publish } from '../../support/dns/local-dns.js';
import { newAccountId, openDomainsFixture, required } from '../../support/fixtures/domains-fixture.js';

const INTERVAL_MS = 600;

it('a domain is active within two steps of publication in the median, and always within fifteen', async () => {
  const fixture = await openDomainsFixture({ DOMAIN_CHECK_INTERVAL: `${INTERVAL_MS}ms` });
  fixture.startVerifier();
  const steps = await Promise.all(
    Array.from({ length: 9 }, async (_, i) => {
      const owner = newAccountId();
      const added = await fixture.entries.add(owner, fixture.newName());
      await sleep(i * 150);
      const published = Date.now();
      publish(fixture.dns, required(added));
      const active = await fixture.waitFor(owner, added.id, (view) => view.status === 'active');
      return (Date.parse(active.verified_at as string) - published) / INTERVAL_MS;
    }),
  );
  steps.sort((a, b) => a - b);
  expect(steps[4]).toBeLessThanOrEqual(2);
  expect(steps[8]).toBeLessThanOrEqual(15);
  await fixture.close();
});
