import { expect, it } from 'vitest';
import { Metrics } from '#libs/kernel';
import type { Outcome } from '#libs/mta';
import { DeliveryMetrics } from './delivery-metrics.js';

const startedAt = new Date('2026-03-01T10:00:00Z');
const after = (ms: number): Date => new Date(startedAt.getTime() + ms);

const remote: Extract<Outcome, { kind: 'delivered' }>['remote'] = {
  mx: 'mx.example.net',
  ip: '192.0.2.1',
  tls: null,
  cipher: null,
  verified: null,
  policy: null,
  source: null,
  provider: null,
};

function delivered(key: string, endedAt: Date): Outcome {
  return { key, kind: 'delivered', reply: { code: 250, enhanced: '2.0.0', text: 'ok' }, remote, startedAt, endedAt };
}

it('measures attempts in seconds by provider, but not those that never began', async () => {
  const metrics = new Metrics();
  const abandoned: Outcome = { key: 'c', kind: 'abandoned', startedAt, endedAt: after(0) };
  new DeliveryMetrics(metrics).countAttempts([delivered('a', after(200)), delivered('b', after(2_000)), abandoned]);
  const lines = (await metrics.render()).split('\n');
  expect(lines).toContain('postloft_attempt_duration_seconds_count{provider="other"} 2');
  expect(lines).toContain('postloft_attempt_duration_seconds_sum{provider="other"} 2.2');
  expect(lines).toContain('postloft_attempt_duration_seconds_bucket{le="0.25",provider="other"} 1');
  expect(lines).toContain('postloft_attempts_total{outcome="abandoned",provider="other"} 1');
});

it('counts an attempt as 0 s if the clock was set back during it', async () => {
  const metrics = new Metrics();
  new DeliveryMetrics(metrics).countAttempts([delivered('a', after(-5_000))]);
  expect(await metrics.render()).toContain('postloft_attempt_duration_seconds_sum{provider="other"} 0\n');
});
