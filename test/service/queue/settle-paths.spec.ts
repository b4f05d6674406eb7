import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeliveryJob } from '#libs/emails';
import { NO_REMOTE, type Outcome } from '#libs/mta';
import { recipientOutcome } from '../../../libs/queue/src/settle/recipient-outcome.js';
import { settleBatch, type SettleItem } from '../../../libs/queue/src/settle/settle-batch.js';
import { isPlainDelivery, settleDelivered } from '../../../libs/queue/src/settle/settle-delivered.js';
import {
  openQueueFixture,
  submission,
  type QueueProcess,
  type QueueFixture,
} from '../../support/delivery/queue-fixture.js';

type Delivered = Extract<Outcome, { kind: 'delivered' }>;

const text = fc.string({ maxLength: 1_200 }).map((value) => value.replaceAll('\0', ''));
const word = fc.option(fc.stringMatching(/^[a-z0-9.-]{1,20}$/), { nil: null });
const at = fc.date({ min: new Date('2026-01-01'), max: new Date('2026-12-31'), noInvalidDate: true });
const attempt: fc.Arbitrary<Delivered> = fc.record({
  key: fc.constant('0'),
  kind: fc.constant('delivered' as const),
  reply: fc.record({ code: fc.integer({ min: 200, max: 299 }), enhanced: word, text }),
  remote: fc.record({
    mx: word,
    ip: fc.constantFrom(null, '192.0.2.1', '2001:db8::1'),
    tls: fc.constantFrom(null, 'TLSv1.3'),
    cipher: word,
    verified: fc.boolean(),
    policy: fc.constantFrom(null, 'sts' as const, 'dane' as const),
    source: fc.constantFrom(null, '192.0.2.9'),
    provider: word,
  }),
  startedAt: at,
  endedAt: at,
  earlier: fc.array(
    fc.record({
      phase: fc.constantFrom('connect' as const, 'rcpt' as const),
      reply: fc.record({ code: fc.constantFrom(null, 421), enhanced: word, text }),
      remote: fc.record({ mx: word }).map((some) => ({ ...NO_REMOTE, ...some })),
    }),
    { maxLength: 2 },
  ),
});

describe('the two ways to settle a delivery', () => {
  let fixture: QueueFixture;
  let program: QueueProcess;
  beforeAll(async () => {
    fixture = await openQueueFixture();
    program = await fixture.open();
  });
  afterAll(() => fixture?.close());

  /** Claimed jobs of new messages, in the order of acceptance. */
  async function claimed(count: number): Promise<DeliveryJob[]> {
    for (let i = 0; i < count; i++)
      await program.intake.accept(submission(fixture.accountId, { toAddresses: [`user${i}@recipient.example`] }));
    const jobs = await program.queue.claim(count);
    return jobs.sort((a, b) => (a.email.id < b.email.id ? -1 : 1));
  }

  const itemsOf = (jobs: DeliveryJob[], attempts: readonly Delivered[]): SettleItem[] =>
    jobs.map((job, i) => ({ job, outcomes: [recipientOutcome(job.recipients[0], attempts[i], [60_000])] }));

  /** All rows of these messages, without ids and without what differs between two messages anyway. */
  async function facts(jobs: DeliveryJob[]): Promise<unknown[]> {
    const result: unknown[] = [];
    for (const { email } of jobs) {
      const { rows } = await fixture.db.database.query<{ facts: unknown }>(
        `SELECT jsonb_build_object(
           'email', (SELECT to_jsonb(e) - '{id,created_at,message_id}'::text[] FROM emails e WHERE e.id = $1),
           'recipients', (SELECT jsonb_agg(to_jsonb(r) - '{email_id,due_at,expires_at}'::text[] ORDER BY r.ordinal)
                          FROM recipients r WHERE r.email_id = $1),
           'attempts', (SELECT jsonb_agg(to_jsonb(a) - '{id,email_id,tx}'::text[] ORDER BY a.number) FROM attempts a WHERE a.email_id = $1),
           'events', (SELECT jsonb_agg(jsonb_build_object('type', u.type, 'sequence', u.sequence, 'test', u.test,
                                        'domain', u.domain_id, 'data', u.data::jsonb - '{id,email_id,created_at,message_id,queued_at}'::text[])
                                       ORDER BY u.sequence)
                      FROM outbox o, unnest(o.key, o.type, o.sequence, o.test, o.domain_id, o.data)
                        AS u(key, type, sequence, test, domain_id, data)
                      WHERE u.key = $1 AND u.sequence > 1)) AS facts`,
        [email.id],
      );
      result.push(rows[0].facts);
    }
    return result;
  }

  it('write the same rows and events', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(attempt, { minLength: 1, maxLength: 5 }), async (attempts) => {
        const { database } = fixture.db;
        const fast = itemsOf(await claimed(attempts.length), attempts);
        expect(fast.every(isPlainDelivery)).toBe(true);
        expect(await settleDelivered(database, program.worker.id, fast)).toBe(true);
        const general = itemsOf(await claimed(attempts.length), attempts);
        const applied = await database.transaction((tx) => settleBatch(tx, program.worker.id, general));
        expect(applied).toHaveLength(attempts.length);
        expect(await facts(fast.map(({ job }) => job))).toEqual(await facts(general.map(({ job }) => job)));
      }),
      { numRuns: 25 },
    );
  });
});
