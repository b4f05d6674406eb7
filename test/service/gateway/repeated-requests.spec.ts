import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { databaseClock } from '#libs/kernel';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let gateway: GatewayApp;
let own: Awaited<ReturnType<GatewayApp['account']>>;
let keys = 0;

beforeAll(async () => {
  gateway = await sharedGateway();
  own = await gateway.account();
});
afterEach(() => goOn());

const newKey = (): string => `repeated-${(keys += 1)}`;
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const mail = (over: object = {}) => ({
  from: `Shop <orders@${own.domain}>`,
  to: 'ada@example.com',
  subject: 'Your order',
  text: 'Thank you.',
  ...over,
});
const post = (path: string, body: unknown, key: string) =>
  gateway
    .agent(own.key)
    .post(path)
    .set({ 'idempotency-key': key })
    .send(body as object);

/**
 * Sets the clocks of the process back until `goOn`. Never ahead: ids are in order of time, also for the files that use this
 * gateway later. The clock of the database itself, by which keys expire, goes on as it is.
 */
function goBack(ms: number): void {
  const past = Date.now() - ms;
  vi.useFakeTimers({ now: past, toFake: ['Date'] });
  vi.spyOn(databaseClock, 'now').mockReturnValue(past);
}

function goOn(): void {
  vi.useRealTimers();
  vi.restoreAllMocks();
}

describe('a request for a scheduled mail that is repeated after its time', () => {
  it.each([
    ['/emails', (at: string) => mail({ scheduled_at: at })],
    ['/emails/batch', (at: string) => [mail({ scheduled_at: at }), mail()]],
    ['/resend/emails', (at: string) => mail({ scheduled_at: at })],
    ['/resend/emails/batch', (at: string) => [mail({ scheduled_at: at })]],
  ])('is answered as the first one was: %s', async (path, bodyFor) => {
    goBack(2 * HOUR);
    const [key, body] = [newKey(), bodyFor(inMs(30 * MINUTE))];
    const first = await post(path, body, key);
    expect(first.status).toBeLessThan(300);
    goOn();
    const again = await post(path, body, key);
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const unknown = await post(path, body, newKey());
    expect([unknown.status, JSON.stringify(unknown.body)]).toEqual([400, expect.stringContaining('scheduled_at')]);
  });

  it('is answered as the first one was where the time is in words', async () => {
    goBack(2 * HOUR);
    const [day, time] = inMs(2 * MINUTE).split('T');
    const word = inMs(0).startsWith(day) ? 'today' : 'tomorrow';
    const [key, body] = [newKey(), mail({ scheduled_at: `${word} at ${time.slice(0, 5)}` })];
    const first = await post('/resend/emails', body, key);
    expect(first.status).toBe(200);
    goOn();
    expect((await post('/resend/emails', body, key)).body).toEqual(first.body);
  });

  it('is refused as the body that it is where the key was used for another one', async () => {
    const key = newKey();
    goBack(2 * HOUR);
    const first = await post('/emails', mail({ scheduled_at: inMs(30 * MINUTE) }), key);
    expect(first.status).toBe(201);
    const other = mail({ scheduled_at: inMs(20 * MINUTE) });
    goOn();
    const { status, body } = await post('/emails', other, key);
    expect([status, body]).toMatchObject([400, { details: [{ field: 'scheduled_at', code: 'in_the_past' }] }]);
    expect((await post('/emails', mail(), key)).status).toBe(409);
  });
});
