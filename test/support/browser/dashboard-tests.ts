import { gatewayTest } from '../fixtures/gateway-tests.js';
import { DashboardFixture } from './dashboard-fixture.js';

/** Tests of people with browsers at a gateway of their file, each browser with an address of its own. */
export const dashboardTest = gatewayTest
  .extend('settings', { scope: 'file' }, { TRUST_PROXY: '127.0.0.1' } as Record<string, string>)
  .extend('dashboard', { scope: 'file' }, ({ gateway }) => new DashboardFixture(gateway));
