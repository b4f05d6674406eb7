import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as later } from 'node:timers/promises';
import { attachmentsFrom } from '../../../libs/emails/src/intake/attachments/attachment-rules.js';
import { loadConfig } from '#libs/kernel';
import { SafeFetch } from '#libs/safe-fetch';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AttachmentFetcher } from '../../../libs/emails/src/intake/attachments/attachment-fetcher.js';
import { until } from '../../support/timing/until.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';

const PER_ACCOUNT = 20;
const PER_HOST = 40;
const PER_POOL = 200;
const BUDGET = { bytes: 1_000_000 };
const TIMEOUT = { timeoutMs: 60_000 };

let server: WebhookReceiver;
let left: AbortController;
let running: Promise<unknown>[];

beforeEach(async () => {
  server = await WebhookReceiver.start();
  server.script('/silent', 'silent');
  left = new AbortController();
  running = [];
});
afterEach(async () => {
  left.abort();
  await Promise.all(running);
  await server.close();
});

const safeFetch = () => new SafeFetch(loadConfig('standalone', { ALLOW_PRIVATE_WEBHOOKS: 'true' }));

/** Starts requests that are not answered. */
function start(count: number, account: string | undefined, host = '127.0.0.1'): Promise<unknown>[] {
  const from = safeFetch();
  const requester = { signal: left.signal, ...(account === undefined ? {} : { account }) };
  const started = Array.from({ length: count }, () =>
    from.get(server.url('/silent', host), { budget: BUDGET, ...TIMEOUT, ...requester }),
  );
  running.push(...started);
  return started;
}
const open = async (count: number): Promise<number> => {
  await until(async () => server.connectionsOpen >= count, { what: `${count} connections` });
  await later(50);
  return server.connectionsOpen;
};

describe('requests to untrusted hosts at once', () => {
  it('are limited for an account, in all instances together', async () => {
    void start(60, 'acc_1');
    void start(60, 'acc_1', 'localhost');
    expect(await open(PER_ACCOUNT)).toBe(PER_ACCOUNT);
  });

  it('are limited for a host, however its name is written, and an account alone does not reach that', async () => {
    void start(30, 'acc_1', 'localhost');
    expect(await open(PER_ACCOUNT)).toBe(PER_ACCOUNT);
    for (const [i, host] of ['localhost.', 'LOCALHOST', 'LocalHost.'].entries()) void start(30, `acc_${i + 2}`, host);
    expect(await open(PER_HOST)).toBe(PER_HOST);
  });

  it('are limited in the process, without keeping those of the service waiting', async () => {
    const names = Array.from({ length: 15 }, (_, i) => `h${i}.localhost`);
    names.forEach((host, i) => void start(PER_ACCOUNT, `acc_${i}`, host));
    expect(await open(PER_POOL)).toBe(PER_POOL);
    void start(5, undefined);
    expect(await open(PER_POOL + 5)).toBe(PER_POOL + 5);
  });

  it('end when the client leaves, those that wait for a permit as well', async () => {
    const started = start(60, 'acc_1');
    await open(PER_ACCOUNT);
    left.abort();
    expect(await Promise.all(started)).toEqual(started.map(() => ({ kind: 'failed', failure: 'aborted' })));
    await until(async () => server.connectionsOpen === 0, { what: 'the end of the connections' });
    expect(server.connectionsMade).toBe(PER_ACCOUNT);
  });

  it('continue with those that wait when others have ended', async () => {
    server.script('/quick', { status: 200, body: 'x', delayMs: 5 });
    const from = safeFetch();
    const results = await Promise.all(
      Array.from({ length: 200 }, () =>
        from.get(server.url('/quick'), { budget: { bytes: 10 }, ...TIMEOUT, account: 'acc_1' }),
      ),
    );
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['fetched']));
  });
});

describe('a connection that is being opened', () => {
  it('is closed at once when the client leaves', async () => {
    // The server accepts the connection and never begins TLS.
    const sockets = new Set<Socket>();
    const mute: Server = createServer((socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
      socket.resume();
    });
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(mute.address() as AddressInfo).port}/`;
    const result = safeFetch().get(url, { budget: BUDGET, ...TIMEOUT, account: 'acc_1', signal: left.signal });
    await until(async () => sockets.size === 1, { what: 'the connection' });
    left.abort();
    expect(await result).toEqual({ kind: 'failed', failure: 'aborted' });
    await until(async () => sockets.size === 0, { what: 'the end of the connection' });
    mute.close();
  });
});

describe('AttachmentFetcher', () => {
  const files = () =>
    attachmentsFrom(Array.from({ length: 10 }, (_, i) => ({ filename: `${i}.pdf`, path: server.url('/silent') })));

  it('fetches the files of all emails of an account within its limit, and none after the client has left', async () => {
    const fetcher = new AttachmentFetcher(safeFetch());
    const requester = { availableBytes: 1_000_000, account: 'acc_1', signal: left.signal };
    const batch = Array.from({ length: 30 }, () => fetcher.fetchAll(files(), requester).catch((error: Error) => error));
    running.push(...batch);
    expect(await open(PER_ACCOUNT)).toBe(PER_ACCOUNT);
    left.abort();
    expect(await batch[0]).toMatchObject({ code: 'validation_error', message: 'The client has disconnected.' });
    await Promise.all(batch);
    expect(server.connectionsMade).toBe(PER_ACCOUNT);
  });
});
