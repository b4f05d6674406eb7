import { describe, expect, it } from 'vitest';
import { DeadlineTracker, type Deadlines, type ConnectionState } from './smtp-deadlines.js';

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
const IDLE: ConnectionState = {
  loggedIn: true,
  inTlsHandshake: false,
  awaitingServer: false,
  commands: 0,
  partialLine: false,
  messageOctets: null,
  oversized: false,
  unreadReplies: false,
  octets: 0,
};

/** The first of the times 1 to 200 at which a deadline has passed, else null; `at` gives the state at a time. */
function expiry(
  at: (now: number) => Partial<ConnectionState>,
  deadlines = DEADLINES,
): [now: number, reply: string] | null {
  const tracker = new DeadlineTracker(deadlines, 0);
  for (let now = 1; now <= 200; now++) {
    const reply = tracker.expired(now, { ...IDLE, ...at(now) });
    if (reply) return [now, reply.join(' ')];
  }
  return null;
}

describe('DeadlineTracker', () => {
  it('ends a connection after a silence, which every octet prolongs', () => {
    const deadlines = { ...DEADLINES, silence: 150 };
    expect(expiry(() => ({}), deadlines)).toEqual([150, '421 4.4.2 Timeout, closing the connection']);
    expect(expiry((now) => ({ octets: now < 100 ? 0 : 1 }), deadlines)).toBeNull();
  });

  it('does not count as silence that the client waits for the server', () => {
    expect(expiry((now) => ({ awaitingServer: now < 120 }), { ...DEADLINES, silence: 150 })).toBeNull();
  });

  it('ends a connection without a login, however many commands it sends', () => {
    expect(expiry((now) => ({ loggedIn: false, commands: now }))).toEqual([60, '421 4.4.2 No login in time']);
    expect(expiry((now) => ({ loggedIn: now >= 59 }))).toBeNull();
  });

  it('needs no login where there is no such deadline, but ends after the total', () => {
    const { login: _, ...inbound } = DEADLINES;
    expect(expiry(() => ({ loggedIn: false }), inbound)).toBeNull();
    expect(expiry((now) => ({ commands: now }), { ...inbound, total: 100 })?.[0]).toBe(100);
  });

  it('waits for a login that is being checked', () => {
    expect(expiry((now) => ({ loggedIn: now > 80, awaitingServer: now < 80 }))).toEqual([
      80,
      '421 4.4.2 No login in time',
    ]);
  });

  it('ends a TLS handshake that is not completed', () => {
    expect(expiry((now) => ({ inTlsHandshake: now > 10 }))?.[0]).toBe(31);
  });

  it('ends a command line that is not completed, and times each line separately', () => {
    expect(expiry((now) => ({ partialLine: now >= 5 }))?.[0]).toBe(35);
    expect(expiry((now) => ({ partialLine: true, commands: Math.floor(now / 20) }))).toBeNull();
    expect(expiry((now) => ({ partialLine: true, awaitingServer: now % 20 === 0 }))).toBeNull();
  });

  it('ends a message that is too slow in any window, not on average', () => {
    const perTick = 1_000;
    expect(expiry((now) => ({ commands: 1, messageOctets: now * perTick }))).toBeNull();
    expect(expiry((now) => ({ commands: 1, messageOctets: now * (perTick - 1) }))?.[0]).toBe(11);
    expect(expiry((now) => ({ commands: 1, messageOctets: 1_000_000 + now }))?.[0]).toBe(11);
  });

  it('times each message separately, and not while the client waits for the server', () => {
    expect(expiry((now) => ({ commands: Math.floor(now / 9), messageOctets: now % 9 }))).toBeNull();
    expect(expiry((now) => ({ commands: 1, messageOctets: 5, awaitingServer: now % 9 !== 0 }))).toBeNull();
  });

  it('ends an oversized message that goes on', () => {
    const reply = '552 5.3.4 The message is too large';
    expect(expiry((now) => ({ commands: 1, messageOctets: now * 10_000, oversized: now >= 50 }))).toEqual([53, reply]);
  });

  it('ends a connection whose client does not read the replies', () => {
    expect(expiry((now) => ({ unreadReplies: now >= 7 }))?.[0]).toBe(37);
    expect(expiry((now) => ({ unreadReplies: now % 20 !== 0 }))).toBeNull();
  });
});
