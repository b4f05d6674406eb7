import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '#libs/kernel';
import { listenProblem } from './listen-problem.js';

const config = (port: number) => loadConfig('standalone', { INBOUND_SMTP_PORT: String(port) });
const failing = (port: number, host: string) =>
  new Promise<unknown>((resolve, reject) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => server.close(reject));
  });

describe('listenProblem', () => {
  it('names the setting whose port is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    expect(listenProblem(await failing(port, '127.0.0.1'), config(port))).toBe(
      `Port ${port} of 127.0.0.1 (INBOUND_SMTP_PORT) is taken by another program: stop that one or choose another port`,
    );
    await new Promise((resolve) => taken.close(resolve));
  });

  it('says that an address is not of this machine', async () => {
    expect(listenProblem(await failing(2525, '192.0.2.1'), config(2525))).toBe(
      'Port 2525 (INBOUND_SMTP_PORT) cannot be opened: 192.0.2.1 is no address of this machine',
    );
  });

  it('says nothing of other failures', () => {
    expect(listenProblem(new Error('other'), config(2525))).toBeNull();
    expect(listenProblem('text', config(2525))).toBeNull();
  });
});
