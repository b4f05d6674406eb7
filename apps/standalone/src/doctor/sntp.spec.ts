import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TimeServer } from '../../../../test/support/time-server.js';
import { askTime } from './sntp.js';

let server: TimeServer;
const ask = () => {
  const [address, port] = server.address.split(':');
  return askTime({ address, port: Number(port) });
};

beforeEach(async () => {
  server = await TimeServer.start();
});
afterEach(() => server.close());

describe('the clock of a time server', () => {
  it.each([0, 90_000, -90_000, 86_400_000])('is seen to be %i ms ahead', async (aheadMs) => {
    server.aheadMs = aheadMs;
    const { aheadMs: seen, delayMs } = await ask();
    expect(Math.abs(seen - aheadMs)).toBeLessThanOrEqual(delayMs + 2);
  });

  it('is read beyond 2036, where its seconds begin anew', async () => {
    server.aheadMs = Date.UTC(2037, 0) - Date.now();
    expect((await ask()).aheadMs).toBeGreaterThan(server.aheadMs - 60_000);
  });

  it('is not believed when the server does not know itself', async () => {
    for (const stratum of [0, 16]) {
      server.stratum = stratum;
      await expect(ask()).rejects.toThrow('does not know the time');
    }
  });
});
