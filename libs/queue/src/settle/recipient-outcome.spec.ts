import { describe, expect, it } from 'vitest';
import { NO_REMOTE, type Outcome } from '#libs/mta';
import { recipientOutcome } from './recipient-outcome.js';

type Judged = Exclude<Outcome, { kind: 'abandoned' }>;
const at = new Date('2026-01-01T00:00:00Z');
const recipient = {
  ordinal: 0,
  address: 'a@b.example',
  attempts: 1,
  fence: 2,
  expiresAt: new Date(at.getTime() + 3_600_000),
  previousEnhanced: null,
};
const remote = { ...NO_REMOTE, mx: 'mx.b.example', ip: '192.0.2.1' };
const deferred = (enhanced: string, phase: 'dns' | 'rcpt' = 'rcpt', text = 'try later'): Judged => ({
  key: '0',
  kind: 'deferred',
  certainty: 'answered',
  phase,
  reply: { code: 450, enhanced, text },
  remote,
  class: 'deferral',
  startedAt: at,
  endedAt: at,
});

describe('judge', () => {
  it('tries a temporary answer again', () => {
    expect(recipientOutcome(recipient, deferred('4.2.0'), [60_000])).toMatchObject({
      status: 'deferred',
      attemptNumber: 2,
    });
  });

  it('gives up when the lifetime is over', () => {
    expect(recipientOutcome({ ...recipient, expiresAt: at }, deferred('4.2.0'), [60_000])).toMatchObject({
      status: 'failed',
      reason: 'expired',
    });
  });

  it('bounces a domain that does not exist only when a second look agrees', () => {
    expect(recipientOutcome(recipient, deferred('5.1.2', 'dns'), [60_000])).toMatchObject({ status: 'deferred' });
    expect(
      recipientOutcome({ ...recipient, previousEnhanced: '5.1.2' }, deferred('5.1.2', 'dns'), [60_000]),
    ).toMatchObject({
      status: 'bounced',
      bounceType: 'hard',
      attempt: { kind: 'bounced', bounceType: 'hard' },
    });
  });

  it('believes a server that its refusal is temporary, whatever code stands beside it', () => {
    expect(recipientOutcome({ ...recipient, previousEnhanced: '5.1.2' }, deferred('5.1.2'), [60_000])).toMatchObject({
      status: 'deferred',
    });
  });

  it('keeps control characters of a remote out of everything that is written', () => {
    const judged = recipientOutcome(recipient, deferred('4.2.0', 'rcpt', 'a\0b\r\nX: 1\u001b[31m'), [60_000]);
    expect(judged.attempt.reply.text).toBe('a b X: 1 [31m');
  });

  it('keeps to a thousand characters, whoever speaks: a certificate may name ten thousand hosts', () => {
    const judged = recipientOutcome(recipient, deferred('4.7.5', 'rcpt', 'DNS:mx.example, '.repeat(10_000)), [60_000]);
    expect(judged.attempt.reply.text).toHaveLength(1_000);
  });
});
