import { describe, expect, it } from 'vitest';
import { PhaseClock, type Deadlines, type Seen } from './phase-clock.js';

const DEADLINES: Deadlines = {
  login: 60,
  handshake: 20,
  line: 30,
  dataWindow: 10,
  dataRate: 1_000_000,
  unread: 30,
  oversize: 3,
  silence: 1_000,
};
const IDLE: Seen = {
  loggedIn: true,
  upgrading: false,
  ours: false,
  commands: 0,
  lineBegun: false,
  data: null,
  oversized: false,
  unread: false,
  octets: 0,
};

/** When the clock strikes, looking once per tick from 1 on; null: not within 200. `at` says what is seen then. */
function strikes(at: (now: number) => Partial<Seen>, deadlines = DEADLINES): [now: number, reply: string] | null {
  const clock = new PhaseClock(deadlines, 0);
  for (let now = 1; now <= 200; now++) {
    const late = clock.late(now, { ...IDLE, ...at(now) });
    if (late) return [now, `${late.code} ${late.reply}`];
  }
  return null;
}

describe('PhaseClock', () => {
  it('ends a logged-in client that says nothing for long, and lets it say anything in between', () => {
    const deadlines = { ...DEADLINES, silence: 150 };
    expect(strikes(() => ({}), deadlines)).toEqual([150, '421 4.4.2 Timeout, closing the connection']);
    expect(strikes((now) => ({ octets: now < 100 ? 0 : 1 }), deadlines)).toBeNull();
  });

  it('does not call silence what the client waits for', () => {
    expect(strikes((now) => ({ ours: now < 120 }), { ...DEADLINES, silence: 150 })).toBeNull();
  });

  it('ends whoever has not logged in, however busily it talks', () => {
    expect(strikes((now) => ({ loggedIn: false, commands: now }))).toEqual([60, '421 4.4.2 No login in time']);
    expect(strikes((now) => ({ loggedIn: now >= 59 }))).toBeNull();
  });

  it('knows no login where there is none, but a total', () => {
    const { login: _, ...inbound } = DEADLINES;
    expect(strikes(() => ({ loggedIn: false }), inbound)).toBeNull();
    expect(strikes((now) => ({ commands: now }), { ...inbound, total: 100 })?.[0]).toBe(100);
  });

  it('waits for a login that it is working on itself', () => {
    expect(strikes((now) => ({ loggedIn: now > 80, ours: now < 80 }))).toEqual([80, '421 4.4.2 No login in time']);
  });

  it('ends a TLS handshake that does not end', () => {
    expect(strikes((now) => ({ upgrading: now > 10 }))?.[0]).toBe(31);
  });

  it('ends a command line that does not end, and counts each line anew', () => {
    expect(strikes((now) => ({ lineBegun: now >= 5 }))?.[0]).toBe(35);
    expect(strikes((now) => ({ lineBegun: true, commands: Math.floor(now / 20) }))).toBeNull();
    expect(strikes((now) => ({ lineBegun: true, ours: now % 20 === 0 }))).toBeNull();
  });

  it('ends data that come too slowly, in any stretch and not on the whole', () => {
    const perTick = 1_000;
    expect(strikes((now) => ({ commands: 1, data: now * perTick }))).toBeNull();
    expect(strikes((now) => ({ commands: 1, data: now * (perTick - 1) }))?.[0]).toBe(11);
    expect(strikes((now) => ({ commands: 1, data: 1_000_000 + now }))?.[0]).toBe(11);
  });

  it('does not take one message for another, nor count the time in which we do not read', () => {
    expect(strikes((now) => ({ commands: Math.floor(now / 9), data: now % 9 }))).toBeNull();
    expect(strikes((now) => ({ commands: 1, data: 5, ours: now % 9 !== 0 }))).toBeNull();
  });

  it('ends a message that goes on beyond the limit', () => {
    const reply = '552 5.3.4 The message is too large';
    expect(strikes((now) => ({ commands: 1, data: now * 10_000, oversized: now >= 50 }))).toEqual([53, reply]);
  });

  it('ends a client that does not read its replies', () => {
    expect(strikes((now) => ({ unread: now >= 7 }))?.[0]).toBe(37);
    expect(strikes((now) => ({ unread: now % 20 !== 0 }))).toBeNull();
  });
});
