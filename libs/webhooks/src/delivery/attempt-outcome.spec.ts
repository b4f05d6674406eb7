import { describe, expect, it } from 'vitest';
import type { RequestResult } from './http-client.js';
import { retryAfterMs, attemptOutcome } from './attempt-outcome.js';

const schedule = [5_000, 300_000];
const responded = (status: number, retryAfter?: string): RequestResult => ({
  kind: 'response',
  status,
  retryAfter,
  body: '',
  latencyMs: 1,
});
const outcome = (result: RequestResult, attempt = 1, random = 0.5) =>
  attemptOutcome(result, { attempt, schedule, random: () => random });

describe('attemptOutcome', () => {
  it.each([200, 201, 204, 299])('treats %i as delivered', (status) => {
    expect(outcome(responded(status))).toEqual({ kind: 'delivered' });
  });

  it.each([301, 302, 307, 308, 400, 404, 429, 500, 503])('retries after %i', (status) => {
    expect(outcome(responded(status))).toEqual({ kind: 'retry', delayMs: 5_000 });
  });

  it('retries without a response', () => {
    expect(outcome({ kind: 'no_response', failure: 'timeout', latencyMs: 15_000 }, 2)).toEqual({
      kind: 'retry',
      delayMs: 300_000,
    });
  });

  it('gives up after one attempt more than the schedule has delays', () => {
    expect(outcome(responded(500), 2).kind).toBe('retry');
    expect(outcome(responded(500), 3)).toEqual({ kind: 'failed' });
    expect(attemptOutcome(responded(500), { attempt: 1, schedule: [] })).toEqual({ kind: 'failed' });
  });

  it('treats 410 as a removed endpoint', () => {
    expect(outcome(responded(410))).toEqual({ kind: 'endpoint_gone' });
  });

  it('keeps every delay within ten percent', () => {
    for (const random of [0, 0.25, 0.999999]) {
      const { delayMs } = outcome(responded(500), 1, random) as { delayMs: number };
      expect(Math.abs(delayMs - 5_000)).toBeLessThanOrEqual(500);
    }
  });

  it('waits longer when 429 or 503 asks for it, at most a day, and never shorter than the schedule', () => {
    expect(outcome(responded(429, '60'))).toEqual({ kind: 'retry', delayMs: 60_000 });
    expect(outcome(responded(503, '999999999'))).toEqual({ kind: 'retry', delayMs: 86_400_000 });
    expect(outcome(responded(429, '1'))).toEqual({ kind: 'retry', delayMs: 5_000 });
    expect(outcome(responded(500, '60'))).toEqual({ kind: 'retry', delayMs: 5_000 });
  });
});

describe('retryAfterMs', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:02:00 GMT', 120_000],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['soon', 0],
    ['-5', 0],
    ['1.5', 0],
    ['', 0],
    [undefined, 0],
  ])('reads %s as %i ms', (header, expected) => expect(retryAfterMs(header, now)).toBe(expected));
});
