import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mustReturn } from '../../../../test/support/timing/must-return.js';
import {
  deferred,
  DELIVERED,
  GOOGLE,
  planOf,
  SENDER,
  throttlingFixture,
  UNREACHABLE,
} from '../../../../test/support/delivery/throttling-fixture.js';
import type { Outcome } from '../delivery-outcome.js';
import type { ThrottlePermit } from './throttling.js';

const CAP = 7;
const PER_MINUTE = 30;
const PER_DAY = 12;
const SUSPENSION_MS = 20_000;
const START = Date.UTC(2026, 10, 21);
const DAY_MS = 86_400_000;

const plan = planOf({
  providers: {
    google: {
      connections: CAP,
      per_minute: PER_MINUTE,
      automations: [
        { id: 'stop', words: 'stop', action: 'suspend', minutes: SUSPENSION_MS / 60_000 },
        { id: 'slower', words: 'slower', action: 'slow_down', factor: 0.5, minutes: 1 },
      ],
    },
  },
  sources: { new: [{ address: '192.0.2.1' }] },
  warm_up: [
    { address: '192.0.2.1', started: '2026-11-21', first_day: PER_DAY, factor: 1.01, until: 1_000_000, pause_above: 1 },
  ],
});
const withoutPools = { ...plan, pools: [], warmUps: new Map<string, never>() };

type Step =
  | { kind: 'admit'; recipients: number }
  | { kind: 'done'; which: number; outcome: Outcome }
  | { kind: 'pass'; ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('admit' as const), recipients: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('done' as const),
      which: fc.nat(20),
      outcome: fc.oneof(
        { weight: 8, arbitrary: fc.constant(DELIVERED) },
        fc.constantFrom(
          UNREACHABLE,
          deferred('421 4.7.0 stop'),
          deferred('450 4.7.0 slower'),
          deferred('450 4.2.0 greylisted'),
        ),
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 30_000 }) }) },
);
const steps = fc.array(step, { minLength: 20, maxLength: 250 });

describe('a queue, after any sequence of events', () => {
  it('never exceeds its maximum in flight or its rate, and sends nothing during a suspension', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { shaping, now, pass } = throttlingFixture({ plan: withoutPools, start: START });
        const running: ThrottlePermit[] = [];
        const beganAt: number[] = [];
        let suspendedUntil = 0;
        for (const one of all) {
          if (one.kind === 'pass') pass(one.ms);
          else if (one.kind === 'done') {
            running.splice(one.which % Math.max(1, running.length), 1)[0]?.release([one.outcome]);
            const stopped = shaping.penalties().find(({ penalty }) => penalty.kind === 'suspended');
            suspendedUntil = stopped?.penalty.until ?? suspendedUntil;
          } else {
            const slots = shaping.availableSlots(GOOGLE);
            const admission = shaping.admit(GOOGLE, SENDER);
            expect(admission.kind).toBe(slots > 0 ? 'go' : 'wait');
            if (admission.kind === 'wait') {
              expect(admission.until.getTime()).toBeGreaterThan(now());
              continue;
            }
            expect(now()).toBeGreaterThanOrEqual(suspendedUntil);
            running.push(admission.permit);
            beganAt.push(now());
            expect(running.length).toBeLessThanOrEqual(CAP);
          }
        }
        for (const from of beganAt)
          expect(beganAt.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(
            PER_MINUTE * 1.1 + 1,
          );
      }),
      { numRuns: 80, seed: 1 },
    );
  });

  it('sends again once every penalty is over', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { shaping, pass } = throttlingFixture({ plan: withoutPools, start: START });
        const running: ThrottlePermit[] = [];
        for (const one of all) {
          if (one.kind === 'pass') pass(one.ms);
          else if (one.kind === 'done') running.shift()?.release([one.outcome]);
          else {
            const admission = shaping.admit(GOOGLE, SENDER);
            if (admission.kind === 'go') running.push(admission.permit);
          }
        }
        for (const left of running) left.release([DELIVERED]);
        pass(3_600_000);
        shaping.merge({ states: [], workers: 1 });
        expect(shaping.penalties()).toEqual([]);
        expect(shaping.availableSlots(GOOGLE)).toBeGreaterThan(0);
      }),
      { numRuns: 60, seed: 2 },
    );
  });

  it('never exceeds the daily limit of the warm-up', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { shaping, now, pass } = throttlingFixture({ plan, start: START });
        const reached = new Map<number, number>();
        const running: ThrottlePermit[] = [];
        for (const one of all) {
          if (one.kind === 'pass') pass(one.ms * 200);
          else if (one.kind === 'done') running.shift()?.release([DELIVERED]);
          else {
            const admission = shaping.admit(GOOGLE, { ...SENDER, recipients: one.recipients });
            if (admission.kind === 'wait') continue;
            const day = Math.floor((now() - START) / DAY_MS);
            reached.set(day, (reached.get(day) ?? 0) + one.recipients);
            running.push(admission.permit);
          }
        }
        for (const [day, count] of reached) expect(count).toBeLessThanOrEqual(Math.floor(PER_DAY * 1.01 ** day));
      }),
      { numRuns: 60, seed: 3 },
    );
  });
});

// If each of a hundred thousand admissions visited every queue, this would not return.
it('admits in constant time, whatever the number of queues', () => {
  const { shaping } = throttlingFixture();
  const queues = Array.from({ length: 100_000 }, (_, i) => ({ queue: `domain:d${i}.example`, provider: null }));
  for (const queue of queues) shaping.availableSlots(queue);
  const admitted = mustReturn(() =>
    queues.filter((queue) => {
      const admission = shaping.admit(queue, SENDER);
      if (admission.kind === 'go') admission.permit.release([DELIVERED]);
      return admission.kind === 'go';
    }),
  );
  expect(admitted).toHaveLength(queues.length);
});
