import type { Server } from 'node:net';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { RawHttp, rawResponse, statusesOf, upgradeRequest } from '../../support/attacks/raw-http.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { until } from '../../support/timing/until.js';

const PER_ADDRESS = 8;
const OVERALL = 20;
/** More than the 50 sockets that an account may have. */
const ABORTED = 60;

const opened: RawHttp[] = [];
afterEach(() => opened.splice(0).forEach((raw) => raw.destroy()));

async function openAll(gateway: GatewayApp, count: number, localAddress?: string): Promise<RawHttp[]> {
  const target = { port: gateway.port, ...(localAddress === undefined ? {} : { localAddress }) };
  const all = await Promise.all(Array.from({ length: count }, () => RawHttp.open(target)));
  opened.push(...all);
  return all;
}

const connectionsOf = (gateway: GatewayApp): Promise<number> =>
  new Promise((resolve) => (gateway.app.getHttpServer() as Server).getConnections((_error, count) => resolve(count)));

const allClosed = (gateway: GatewayApp) =>
  until(async () => (await connectionsOf(gateway)) === 0, { what: 'the end of all connections' });

const REQUEST = ['GET /healthz HTTP/1.1', 'Host: localhost', '', ''];
const response = async (raw: RawHttp, what = 'a response'): Promise<string> => {
  await until(async () => raw.received !== '' || raw.ended || raw.closed, { what });
  return raw.received;
};

describe('HTTP connections', () => {
  let gateway: GatewayApp;

  beforeAll(async () => {
    gateway = await startGatewayApp({
      HTTP_CONNECTIONS: String(OVERALL),
      HTTP_CONNECTIONS_PER_IP: String(PER_ADDRESS),
    });
  });
  afterAll(() => gateway.stop());

  it.each([
    ['no HTTP', ['NONSENSE', '', '']],
    ['an upgrade to another path', upgradeRequest('/elsewhere')],
    ['an upgrade with two Host headers', upgradeRequest('/graphql', 'Host: elsewhere.example')],
  ])('are closed after a refusal, although the client leaves its side open: %s', async (_what, lines) => {
    const all = await openAll(gateway, PER_ADDRESS);
    for (const raw of all) raw.write(...lines);
    await until(async () => all.every(({ ended }) => ended), { what: 'the refusals' });
    for (const { received } of all) {
      expect(received).toMatch(/^HTTP\/1\.1 40[04] /);
      expect(received).toContain('"request_id":"req_');
    }
    await allClosed(gateway);
  });

  it('of one address beyond its limit are refused with 429, far beyond it dropped, and others served', async () => {
    const served = await openAll(gateway, PER_ADDRESS, '127.0.0.21');
    const [refused] = await openAll(gateway, 1, '127.0.0.21');
    refused.write(...REQUEST);
    const answer = await response(refused);
    expect(answer).toMatch(/^HTTP\/1\.1 429 /);
    expect(answer).toMatch(/^retry-after: \d+\r$/m);
    expect(answer).toContain('"name":"rate_limit_exceeded"');
    await until(async () => refused.ended, { what: 'the end of the refused connection' });
    const more = await openAll(gateway, PER_ADDRESS, '127.0.0.21');
    await until(async () => more.some(({ ended, received }) => ended && received === ''), {
      what: 'a dropped connection',
    });
    const [other] = await openAll(gateway, 1, '127.0.0.22');
    other.write(...REQUEST);
    expect(statusesOf(await response(other))).toEqual([200]);
    [...served, ...more, other].forEach((raw) => raw.destroy());
    await allClosed(gateway);
    const [again] = await openAll(gateway, 1, '127.0.0.21');
    again.write(...REQUEST);
    expect(statusesOf(await response(again))).toEqual([200]);
  });

  it('are counted while they are WebSockets', async () => {
    const sockets = await openAll(gateway, PER_ADDRESS, '127.0.0.23');
    for (const raw of sockets) raw.write(...upgradeRequest());
    await until(async () => sockets.every(({ received }) => received.startsWith('HTTP/1.1 101 ')));
    for (const lines of [REQUEST, upgradeRequest()]) {
      const [refused] = await openAll(gateway, 1, '127.0.0.23');
      refused.write(...lines);
      expect(await response(refused)).toMatch(/^HTTP\/1\.1 429 /);
    }
  });

  it('of all addresses beyond the limit are refused with 503 while all are in use', async () => {
    const { key } = await gateway.account();
    const inUse = ['127.0.0.24', '127.0.0.25', '127.0.0.26', '127.0.0.27'].flatMap((localAddress) =>
      Array.from({ length: OVERALL / 4 }, () => socketOf(gateway, key, localAddress)),
    );
    expect(await Promise.all(inUse.map(({ acknowledged }) => acknowledged))).toEqual(Array(OVERALL).fill(true));
    const [refused] = await openAll(gateway, 1, '127.0.0.28');
    refused.write(...REQUEST);
    const answer = await response(refused);
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/^retry-after: \d+\r$/m);
    expect(await gateway.app.get((await import('#libs/kernel')).Metrics).render()).toMatch(
      /^postloft_http_connections_refused_total\{reason="overall"\} [1-9]/m,
    );
    for (const { socket } of inUse) socket.terminate();
    await allClosed(gateway);
  });

  it.each([
    ['without a byte', []],
    ['with half a request line', ['GET /hea']],
    ['with half a head', ['GET /healthz HTTP/1.1', 'Host: loc']],
    ['that are idle after a response', REQUEST],
    ['with half a body of a client without a key', halfBody()],
    ['that are WebSockets without a login', upgradeRequest()],
  ])('%s are closed for new ones when all are in use, the oldest first', async (_what, lines) => {
    const fill = async (address: string) => {
      const all = await openAll(gateway, OVERALL / 4, address);
      for (const raw of all) raw.write(...lines);
      return all;
    };
    const oldest = await fill('127.0.0.31');
    if (lines === REQUEST) await Promise.all(oldest.map((raw) => response(raw)));
    for (const address of ['127.0.0.32', '127.0.0.33', '127.0.0.34']) await fill(address);
    const requests = 3;
    for (let i = 0; i < requests; i += 1) {
      const [raw] = await openAll(gateway, 1, '127.0.0.35');
      raw.write(...REQUEST);
      expect(statusesOf(await response(raw))).toEqual([200]);
    }
    await until(async () => oldest.filter(({ closed, ended }) => closed || ended).length === requests, {
      what: 'the end of the oldest',
    });
    expect(opened.filter(({ closed, ended }) => closed || ended)).toHaveLength(requests);
  });

  it('with half a body of a client with a key are not closed for others', async () => {
    const { key } = await gateway.account();
    const uploads = await openAll(gateway, 4, '127.0.0.36');
    for (const raw of uploads) raw.write(...halfBody(key));
    await until(async () => uploads.every(({ received }) => received.startsWith('HTTP/1.1 100 ')));
    for (const address of ['127.0.0.32', '127.0.0.33', '127.0.0.34']) await openAll(gateway, PER_ADDRESS, address);
    expect(uploads.filter(({ closed, ended }) => closed || ended)).toEqual([]);
  });

  it('that are WebSockets and close while their key is looked up reserve nothing', async () => {
    await allClosed(gateway);
    const { key } = await gateway.account();
    const lock = new Client({ connectionString: gateway.databaseUrl });
    await lock.connect();
    await lock.query('BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
    const aborted: WebSocket[] = [];
    try {
      // As many at a time as one address may have.
      while (aborted.length < ABORTED) {
        const group = Array.from({ length: PER_ADDRESS - 2 }, () => socketOf(gateway, key));
        aborted.push(...group.map(({ socket }) => socket));
        await Promise.all(group.map(({ greeted }) => greeted));
        for (const { socket } of group) socket.terminate();
        await allClosed(gateway);
      }
    } finally {
      await lock.query('COMMIT');
      await lock.end();
    }
    const { socket, acknowledged } = socketOf(gateway, key);
    expect(await acknowledged).toBe(true);
    socket.terminate();
  });
});

describe('behind a proxy', () => {
  let gateway: GatewayApp;
  let key: string;

  beforeAll(async () => {
    gateway = await startGatewayApp({ HTTP_CONNECTIONS_PER_IP: String(PER_ADDRESS), TRUST_PROXY: '127.0.0.1' });
    ({ key } = await gateway.account());
  });
  afterAll(() => gateway.stop());

  /** A request whose body does not arrive. */
  const unfinished = (address: string): string[] => [
    'POST /emails HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    `X-Forwarded-For: ${address}`,
    'Content-Type: application/json',
    'Content-Length: 1000',
    'Expect: 100-continue',
    '',
    '',
  ];
  const health = (address: string): Promise<string> =>
    rawResponse(
      { port: gateway.port },
      'GET /healthz HTTP/1.1',
      'Host: localhost',
      `X-Forwarded-For: ${address}`,
      'Connection: close',
      '',
      '',
    );

  it.each([
    ['requests', unfinished, '100'],
    ['WebSockets', (address: string) => upgradeRequest('/graphql', `X-Forwarded-For: ${address}`), '101'],
  ])('%s in progress are counted by forwarded address', async (what, requestOf, status) => {
    const [busy, free] = what === 'requests' ? ['203.0.113.1', '203.0.113.2'] : ['203.0.113.3', '203.0.113.4'];
    const all = await openAll(gateway, PER_ADDRESS);
    for (const raw of all) raw.write(...requestOf(busy));
    await until(async () => all.every(({ received }) => received.startsWith(`HTTP/1.1 ${status} `)), { what });
    expect(statusesOf(await health(busy))).toEqual([429]);
    expect(statusesOf(await health(`198.51.100.1, ${busy}`)), 'the client cannot choose its address').toEqual([429]);
    expect(statusesOf(await health(free))).toEqual([200]);
    const [refused] = await openAll(gateway, 1);
    refused.write(...requestOf(busy));
    expect(await response(refused)).toMatch(/^HTTP\/1\.1 429 /);
    all.forEach((raw) => raw.destroy());
    await until(async () => statusesOf(await health(busy))[0] === 200, { what: 'the address to be served again' });
  });

  it('connections of the proxy are not limited as those of one client', async () => {
    const all = await openAll(gateway, 3 * PER_ADDRESS);
    all.forEach((raw, i) =>
      raw.write('GET /healthz HTTP/1.1', 'Host: localhost', `X-Forwarded-For: 203.0.113.${i}`, '', ''),
    );
    for (const raw of all) expect(statusesOf(await response(raw))).toEqual([200]);
  });
});

/** A request whose body does not arrive. */
function halfBody(key?: string): string[] {
  return [
    `POST ${key === undefined ? '/app/api/login' : '/emails'} HTTP/1.1`,
    'Host: localhost',
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    'Content-Type: application/json',
    'Content-Length: 1000',
    'Expect: 100-continue',
    '',
    '',
  ];
}

/** A WebSocket that says hello; `acknowledged` is false if it is closed instead. */
function socketOf({ port }: GatewayApp, key: string, localAddress = '127.0.0.1') {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws', { localAddress });
  socket.on('error', () => undefined);
  const greeted = new Promise<void>((resolve) => {
    socket.once('open', () => {
      socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${key}` } }), () =>
        // A message later, the server has read the first one.
        socket.ping(() => undefined),
      );
    });
    socket.once('pong', () => resolve());
  });
  const acknowledged = new Promise<boolean>((resolve) => {
    socket.once('message', () => resolve(true));
    socket.once('close', () => resolve(false));
  });
  return { socket, greeted, acknowledged };
}
