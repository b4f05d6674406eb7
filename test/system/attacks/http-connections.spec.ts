import { beforeAll, describe, expect, it } from 'vitest';
import { RawHttp, rawResponse, statusesOf } from '../../support/attacks/raw-http.js';
import { abortHellos, helloSocket, isAcknowledged } from '../../support/attacks/websocket-hello.js';
import { openAccount, type ServiceAccount } from '../../support/services/service-client.js';
import { until } from '../../support/timing/until.js';

/** Defaults of the settings HTTP_CONNECTIONS_PER_IP and HTTP_AUTH_FAILURES_PER_MINUTE. */
const PER_ADDRESS = 200;
const WRONG_KEYS = 20;
/** More than the 50 sockets of an account. */
const ABORTED = 140;
const STALLED = 50;

/** On a service with the limits that it is shipped with. Each attack comes from an address of its own. */
describe('attacks on HTTP connections', () => {
  let program: ServiceAccount;
  let port: number;
  /** They time out while the other tests run. */
  let stalled: Promise<RawHttp[]>;
  let silent: RawHttp;

  beforeAll(async () => {
    program = await openAccount('webhooks');
    port = program.ports.http;
    stalled = Promise.all(Array.from({ length: STALLED }, () => RawHttp.open({ port, localAddress: '127.0.0.81' })));
    for (const raw of await stalled) raw.write('GET /healthz HTTP/1.1', 'Host: loc');
    silent = await RawHttp.open({ port, localAddress: '127.0.0.84' });
  });

  const health = ['GET /healthz HTTP/1.1', 'Host: localhost', '', ''];
  const withKey = (key: string) => [
    'GET /domains HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Connection: close',
    '',
    '',
  ];

  it('keeps the slots for live statistics of clients that abort their connections', async () => {
    // In groups: within the time of one look-up, no more than this many can be aborted.
    for (let i = 0; i < ABORTED; i += 20) await abortHellos(port, program.key, 20);
    expect(await isAcknowledged(helloSocket(port, program.key))).toBe(true);
  });

  it('serves a limited number of connections of one address', async () => {
    const localAddress = '127.0.0.82';
    const all: RawHttp[] = [];
    for (let i = 0; i < PER_ADDRESS + 5; i++) all.push(await RawHttp.open({ port, localAddress }));
    for (const raw of all) raw.write(...health);
    await until(async () => all.every(({ received }) => received !== ''), { what: 'all responses' });
    const statuses = all.flatMap(({ received }) => statusesOf(received));
    expect(statuses).toEqual([...Array<number>(PER_ADDRESS).fill(200), ...Array<number>(5).fill(429)]);
    expect((await program.call('GET', '/domains')).status).toBe(200);
    for (const raw of all) raw.destroy();
  });

  it('limits the wrong keys of one address, and serves the right one that is in use there', async () => {
    const localAddress = '127.0.0.83';
    const ask = async (key: string) => statusesOf(await rawResponse({ port, localAddress }, ...withKey(key)))[0];
    expect(await ask(program.key)).toBe(200);
    const statuses: number[] = [];
    for (let i = 0; i < WRONG_KEYS + 10; i++) statuses.push(await ask(`wrong-key-${i}`));
    expect(statuses).toEqual([...Array<number>(WRONG_KEYS).fill(401), ...Array<number>(10).fill(429)]);
    expect(await ask(program.key)).toBe(200);
    expect((await program.call('GET', '/domains')).status).toBe(200);
  });

  it('refuses a request with two Host headers', async () => {
    const answer = await rawResponse(
      { port },
      'GET /healthz HTTP/1.1',
      'Host: localhost',
      'Host: other',
      'Connection: close',
      '',
      '',
    );
    expect(statusesOf(answer)).toEqual([400]);
  });

  it('closes a connection without a request and without a word, which a later request would take for its answer', async () => {
    await until(async () => silent.ended, { what: 'the time-out', withinMs: 50_000 });
    expect(silent.received).toBe('');
  });

  it('destroys connections whose request times out, although their clients leave them open', async () => {
    const all = await stalled;
    await until(async () => all.every(({ ended }) => ended), { what: 'the time-outs', withinMs: 50_000 });
    for (const { received } of all) expect(received).toMatch(/^HTTP\/1\.1 400 [^]*did not arrive in time/);
    // Only a destroyed connection resets a client that goes on writing.
    await until(
      async () => {
        for (const raw of all) if (!raw.closed) raw.write('x');
        return all.every(({ closed }) => closed);
      },
      { what: 'the end of the connections' },
    );
  });
});
