import { describe, expect, it } from 'vitest';
import { historyOf, replyOf, tlsOf, type Attempt } from './timeline.ts';

type Email = Parameters<typeof historyOf>[0];

const at = (seconds: number): string => new Date(Date.parse('2026-06-01T12:00:00Z') + seconds * 1_000).toISOString();
const smtp = (over: object = {}) => ({
  code: 250,
  enhanced: '2.0.0',
  text: '250 2.0.0 OK',
  mx: 'mx.example.com',
  ...over,
});

function attempt(number: number, endedAt: string, over: object = {}): Attempt {
  return {
    id: `atm_${number}`,
    recipient: 'a@example.com',
    number,
    outcome: 'delivered',
    endedAt,
    smtp: smtp(),
    security: null,
    tlsPolicy: null,
    ...over,
  } as unknown as Attempt;
}
const event = (type: string, createdAt: string, data: object = {}) => ({
  id: `evt_${type}_${createdAt}`,
  type: `email.${type}`,
  createdAt,
  data: { recipient: 'a@example.com', ...data },
});
const history = (events: object[], attempts: Attempt[] = []) =>
  historyOf({ events: { nodes: events }, attempts: { nodes: attempts } } as unknown as Email);

describe('historyOf', () => {
  it('joins an event with the attempt that caused it, by its number', () => {
    const entries = history(
      [
        event('queued', at(0)),
        event('failed', at(60), { attempt: 1, temporary: true, next_attempt_at: at(120), reason: '451 4.7.1 Later' }),
        event('delivered', at(120), { attempt: 2 }),
      ],
      [attempt(2, at(120)), attempt(1, at(3), { outcome: 'deferred' })],
    );
    expect(entries.map(({ title, status, attempt: one }) => [title, status, one?.number])).toEqual([
      ['Accepted', 'queued', undefined],
      ['Deferred, will be retried', 'deferred', 1],
      ['Delivered', 'delivered', 2],
    ]);
    expect(entries[1]).toMatchObject({ nextAttemptAt: at(120), detail: '451 4.7.1 Later' });
  });

  it('joins by time where the event has no number, for the same recipient only', () => {
    const [own, far, other] = [
      attempt(1, at(10)),
      attempt(2, at(13)),
      attempt(1, at(10), { id: 'atm_other', recipient: 'b@example.com' }),
    ];
    const entries = history([event('bounced', at(11), { bounce_message: 'no such user' })], [other, far, own]);
    expect(entries.map(({ id, attempt: one }) => [id.slice(0, 4), one])).toEqual([
      ['atm_', other],
      ['evt_', own],
      ['atm_', far],
    ]);
  });

  it('gives an attempt to one event', () => {
    const events = [event('failed', at(10), { attempt: 1 }), event('failed', at(11), { attempt: 1 })];
    expect(history(events, [attempt(1, at(10))]).map((one) => one.attempt?.number)).toEqual([1, undefined]);
  });

  it('shows attempts without an event with their reply', () => {
    const [entry] = history(
      [],
      [attempt(3, at(5), { outcome: 'deferred', smtp: smtp({ code: 451, enhanced: null, text: 'Later' }) })],
    );
    expect(entry).toMatchObject({
      title: 'Attempt 3: deferred',
      status: 'deferred',
      type: null,
      detail: '451 Later',
      at: at(5),
    });
  });

  it('names types that it does not know', () => {
    expect(history([event('archived', at(0))])[0]).toMatchObject({ title: 'archived', status: 'archived' });
  });
});

describe('replyOf', () => {
  it.each([
    [null, ''],
    [smtp(), '250 2.0.0 OK'],
    [smtp({ text: 'OK' }), '250 2.0.0 OK'],
    [smtp({ text: null }), '250 2.0.0'],
  ])('%j', (reply, expected) => {
    expect(replyOf(reply as Attempt['smtp'])).toBe(expected);
  });
});

describe('tlsOf', () => {
  const security = { version: 'TLSv1.3', cipher: 'x', verified: true, policy: 'dane' };
  it.each([
    [{ security }, { title: 'TLSv1.3', detail: 'TLS required by DANE, certificate verified' }],
    [
      { security: { ...security, verified: false } },
      { title: 'TLSv1.3', detail: 'TLS required by DANE, certificate not verified' },
    ],
    [{ tlsPolicy: 'opportunistic' }, { title: 'no TLS', detail: 'TLS if offered' }],
    [{ smtp: null }, { title: '–', detail: '' }],
  ])('%j', (over, expected) => {
    expect(tlsOf(attempt(1, at(0), over))).toEqual(expected);
  });
});
