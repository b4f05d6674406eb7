import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { brief, CourierFixture, UNLIMITED } from '../../../../test/support/delivery/courier-fixture.js';
import type { MxScript, ScriptedMx } from '../../../../test/support/mail-servers/scripted-mx.js';
import type { CourierOptions } from '../index.js';

let fixture: CourierFixture;

async function serve(script: MxScript, overrides: Partial<CourierOptions> = {}): Promise<ScriptedMx> {
  fixture = await CourierFixture.start(overrides);
  const [mx] = await fixture.serve(script);
  return mx;
}

/** Waits for a condition, up to the time limit of the test. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(10);
}

afterEach(() => fixture.close());

describe('kept-open connections', () => {
  it('are replaced after a hundred messages, with QUIT', async () => {
    const mx = await serve({});
    for (let i = 0; i < 101; i += 1) expect(brief((await fixture.deliver())[0])).toBe('delivered');
    expect(mx.sessions).toHaveLength(2);
    expect(mx.sessions[0].commands.filter((line) => line.startsWith('MAIL'))).toHaveLength(100);
    expect(mx.sessions[0].commands.at(-1)).toBe('QUIT');
  });

  it('have a maximum per host, and all messages are delivered', async () => {
    const mx = await serve({}, { connectionsPerHost: 3 });
    const outcomes = await Promise.all(Array.from({ length: 400 }, () => fixture.deliver()));
    expect(new Set(outcomes.flat().map(brief))).toEqual(new Set(['delivered']));
    expect(mx.mostOpen).toBe(3);
    expect(mx.accepted).toHaveLength(400);
  });

  it('are given to callers in the order of their requests', async () => {
    const mx = await serve({}, { connectionsPerHost: 1 });
    const names = Array.from({ length: 30 }, (_, i) => `n${i}@to.test`);
    await Promise.all(names.map((name) => fixture.deliver(name)));
    expect(mx.mails.map((mail) => mail.recipients[0])).toEqual(names);
  });

  it.each(['close', 'reset'] as const)(
    'that the server closed meanwhile (%s) are replaced without a failed attempt',
    async (how) => {
      const mx = await serve({});
      await fixture.deliver();
      mx.dropConnections(how);
      expect(brief((await fixture.deliver())[0])).toBe('delivered');
      expect(mx.sessions).toHaveLength(2);
    },
  );

  it.each(['close', 'reset', '421 4.4.2 idle too long', 'nonsense'])(
    'that end with the next MAIL (%s) are replaced at once',
    async (action) => {
      const mx = await serve({
        on: { mail: ({ session, count }) => (session === 1 && count === 2 ? action : undefined) },
      });
      await fixture.deliver();
      expect(brief((await fixture.deliver())[0])).toBe('delivered');
      expect(mx.sessions).toHaveLength(2);
    },
  );

  it('are replaced only once', async () => {
    const mx = await serve({ on: { mail: ({ count }) => (count > 1 ? 'close' : undefined) } });
    await fixture.deliver();
    expect(brief((await fixture.deliver())[0])).toBe('deferred not_sent mail');
    expect(mx.sessions).toHaveLength(2);
  });

  it('are discarded when the server sends 421 while they are idle', async () => {
    const mx = await serve({});
    await fixture.deliver();
    mx.say('421 4.3.2 shutting down\r\n');
    await until(() => !mx.sessions[0].open);
    expect(brief((await fixture.deliver())[0])).toBe('delivered');
    expect(mx.sessions).toHaveLength(2);
  });

  it('free their slot when they fail, so that waiting callers continue', async () => {
    const mx = await serve(
      { on: { dot: ({ count }) => (count <= 3 ? 'reset' : undefined) } },
      { connectionsPerHost: 1 },
    );
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => fixture.deliver()));
    const words = outcomes.flat().map(brief);
    expect(words.filter((word) => word === 'deferred unknown_outcome dot')).toHaveLength(3);
    expect(words.filter((word) => word === 'delivered')).toHaveLength(7);
    expect(mx.mostOpen).toBeLessThanOrEqual(2);
  });

  it('are awaited for a limited time: then the message is abandoned, with the name of the busy host', async () => {
    const timeouts = { ...UNLIMITED, total: 1_000 };
    const mx = await serve({ on: { dot: 'silence' } }, { connectionsPerHost: 1, freeConnectionMs: 300, timeouts });
    const outcomes = (await Promise.all(Array.from({ length: 5 }, () => fixture.deliver()))).flat();
    expect(outcomes.map(brief)).toEqual(['deferred unknown_outcome dot', ...Array<string>(4).fill('abandoned')]);
    expect(outcomes.slice(1)).toMatchObject(Array.from({ length: 4 }, () => ({ busyHost: 'mx1.to.test' })));
    expect(mx.mails).toHaveLength(1);
  });

  it('of the next host are used while all of the first are in use', async () => {
    fixture = await CourierFixture.start({ connectionsPerHost: 1, freeConnectionMs: 100 });
    const [full, free] = await fixture.serve({ on: { dot: 'silence' } }, {});
    const slow = fixture.deliver();
    await until(() => full.mails.length === 1);
    expect(brief((await fixture.deliver())[0])).toBe('delivered');
    expect([full.sessions.length, free.mails.length]).toEqual([1, 1]);
    full.dropConnections();
    await slow;
  });

  it('of another host are tried first for a while after a host refused us', async () => {
    fixture = await CourierFixture.start();
    const [busy, free] = await fixture.serve({ on: { banner: '421 4.7.0 too much of you' } }, {});
    for (let i = 0; i < 3; i += 1) expect(brief((await fixture.deliver())[0])).toBe('delivered');
    expect([busy.sessions.length, free.mails.length]).toEqual([1, 3]);
  });

  it('do not delay other hosts', async () => {
    fixture = await CourierFixture.start({ connectionsPerHost: 1, timeouts: UNLIMITED });
    const [stalled, healthy] = await fixture.serve({ on: { dot: 'silence' } }, {});
    fixture.dns.set('stalled.test', { MX: [{ preference: 1, exchange: 'mx1.to.test' }] });
    fixture.dns.set('healthy.test', { MX: [{ preference: 1, exchange: 'mx2.to.test' }] });
    const slow = fixture.deliver('a@stalled.test');
    await until(() => stalled.mails.length === 1);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => fixture.deliver('a@healthy.test')));
    expect(new Set(outcomes.flat().map(brief))).toEqual(new Set(['delivered']));
    expect(stalled.sessions[0].open).toBe(true);
    stalled.dropConnections();
    expect(brief((await slow)[0])).toBe('deferred unknown_outcome dot');
    expect([stalled.sessions.length, healthy.sessions.length]).toEqual([1, 1]);
  });
});

describe('closing', () => {
  it('lets a running dialogue finish, abandons waiting and new messages, and sends QUIT', async () => {
    const mx = await serve({ on: { dot: { drip: '250 2.0.0 taken', everyMs: 8 } } }, { connectionsPerHost: 1 });
    const running = fixture.deliver();
    const waiting = fixture.deliver();
    await until(() => mx.mails.length === 1);
    const closing = fixture.courier.close(2000);
    const late = await fixture.deliver();
    expect((await running).map(brief)).toEqual(['delivered']);
    expect((await waiting).map(brief)).toEqual(['abandoned']);
    expect(late.map(brief)).toEqual(['abandoned']);
    await closing;
    expect(mx.sessions[0].commands.at(-1)).toBe('QUIT');
    await until(() => !mx.sessions[0].open);
  });

  it('ends longer dialogues: abandoned before the dot, unknown after it', async () => {
    const mx = await serve({
      on: { rcpt: ({ line }) => (line.includes('slow') ? 'silence' : undefined), dot: 'silence' },
    });
    const before = fixture.deliver('slow@to.test');
    const after = fixture.deliver('one@to.test');
    await until(() => mx.mails.length === 1 && mx.count('rcpt') === 2);
    await fixture.courier.close(20);
    expect((await before).map(brief)).toEqual(['abandoned']);
    expect((await after).map(brief)).toEqual(['deferred unknown_outcome dot']);
    await until(() => mx.sessions.every((session) => !session.open));
  });

  it('cancels queries to a silent DNS', async () => {
    fixture = await CourierFixture.start({}, { 'to.test': { fault: 'silent' } });
    const running = fixture.deliver();
    await pause(30);
    await fixture.courier.close(0);
    expect((await running).map(brief)).toEqual(['abandoned']);
  });
});
