import { describe, expect, it } from 'vitest';
import type { RequestResult } from './http-client.js';
import { windowChange } from './window.js';

const response = (status: number, { latencyMs = 50, retryAfter }: { latencyMs?: number; retryAfter?: string } = {}) =>
  ({ kind: 'response', status, retryAfter, body: '', latencyMs }) as const;
const lost = (failure: 'timeout' | 'interrupted' | 'secret_unreadable' | 'connection_failed') =>
  ({ kind: 'no_response', failure, latencyMs: 50 }) as const;
const grow = { kind: 'grow' };
const shrink = (pauseMs = 0) => ({ kind: 'shrink', pauseMs });

describe('windowChange', () => {
  it.each<[string, RequestResult, { window?: number; inFlight?: number }, unknown]>([
    ['a prompt success in a used window', response(204), {}, grow],
    ['one in a window of which less than half is used', response(204), { inFlight: 20 }, null],
    ['one in the largest window', response(204), { window: 100, inFlight: 90 }, null],
    ['a slow success', response(200, { latencyMs: 5_001 }), {}, null],
    ['a rejection by an endpoint that keeps up', response(404), {}, null],
    ['a redirect', response(301), {}, null],
    ['a time-out', lost('timeout'), {}, shrink()],
    ['a lost connection', lost('connection_failed'), {}, shrink()],
    ['a time-out in the smallest window', lost('timeout'), { window: 10 }, null],
    ['a stop of our own', lost('interrupted'), {}, null],
    ['a secret of ours that cannot be read', lost('secret_unreadable'), {}, null],
    ['a 500', response(500), {}, shrink()],
    ['a 429', response(429), {}, shrink()],
    ['a 429 that asks for a pause', response(429, { retryAfter: '7' }), { window: 10 }, shrink(7_000)],
    ['a 503 that asks for a long pause', response(503, { retryAfter: '3600' }), {}, shrink(60_000)],
    ['a 500 with a field that has no meaning there', response(500, { retryAfter: '7' }), {}, shrink()],
  ])('after %s', (_, result, { window = 40, inFlight = 21 }, wanted) => {
    expect(windowChange(result, { window, inFlight, promptMs: 5_000 })).toEqual(wanted);
  });
});
