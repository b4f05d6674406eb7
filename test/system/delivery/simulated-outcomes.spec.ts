import { afterAll, beforeAll, describe } from 'vitest';
import type { LocalDns } from '../../support/dns/local-dns.js';
import { PUBLIC_URL } from '../../support/services/profiles.js';
import { openAccount, openZones } from '../../support/services/service-client.js';
import { RECIPIENT_ZONES, simulatedOutcomesSuite } from './simulated-outcomes.suite.js';

/** The mode `smarthost` is tested by attacks/hostile-clients, on a service that has one. */
describe('simulated outcomes', () => {
  let dns: LocalDns;
  beforeAll(async () => {
    dns = await openZones(RECIPIENT_ZONES);
  });
  afterAll(() => dns?.close());

  describe('in mode capture', () =>
    simulatedOutcomesSuite(async () => {
      const sender = await openAccount('rest');
      return { sender, dns, publicUrl: sender.url.replace('127.0.0.1', 'localhost') };
    }));

  describe('in mode mx', () =>
    simulatedOutcomesSuite(async () => ({ sender: await openAccount('inbound'), dns, publicUrl: PUBLIC_URL })));
});
