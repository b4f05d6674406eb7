import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TimeServer } from '../../../../test/support/doctor/time-server.js';
import { queryTime } from './sntp.js';

let server: TimeServer;
const query = () => {
  const [address, port] = server.address.split(':');
  return queryTime({ address, port: Number(port) });
};

beforeEach(async () => {
  server = await TimeServer.start();
});
afterEach(() => server.close());

describe('a query to a time server', () => {
  it.each([0, 90_000, -90_000, 86_400_000])('measures an offset of %i ms', async (aheadMs) => {
    server.aheadMs = aheadMs;
    const { aheadMs: seen, delayMs } = await query();
    expect(Math.abs(seen - aheadMs)).toBeLessThanOrEqual(delayMs + 2);
  });

  it('measures offsets beyond 2036, when the seconds of NTP wrap', async () => {
    server.aheadMs = Date.UTC(2037, 0) - Date.now();
    expect((await query()).aheadMs).toBeGreaterThan(server.aheadMs - 60_000);
  });

  it('rejects a server that is not synchronised itself', async () => {
    for (const stratum of [0, 16]) {
      server.stratum = stratum;
      await expect(query()).rejects.toThrow('does not know the time');
    }
  });
});
