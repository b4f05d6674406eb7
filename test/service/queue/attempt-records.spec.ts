import type { AttemptRecord } from '#libs/contracts';
import { NO_REMOTE, type Outcome } from '#libs/mta';
import { attemptRecords } from '#libs/queue';
import { describe, expect } from 'vitest';
import { submission, type QueueProcess } from '../../support/delivery/queue-fixture.js';
import { queueTest } from '../../support/delivery/queue-tests.js';

const AT = { startedAt: new Date('2026-03-01T12:00:00.000Z'), endedAt: new Date('2026-03-01T12:00:01.500Z') };
const google = { ...NO_REMOTE, mx: 'aspmx.l.google.com', ip: '192.0.2.1', tls: 'TLSv1.3', provider: 'google' };
const outlook = { ...google, mx: 'hotmail-com.olc.protection.outlook.com', provider: 'outlook' };
const unknown = { ...google, mx: 'mx.recipient.example', provider: null };

describe('attempts as records', () => {
  let one: QueueProcess;
  const it = queueTest
    /** Delivers a message to as many recipients as there are outcomes, and returns the records of its attempts. */
    .extend(
      'attempt',
      ({ fixture }) =>
        async function attempt(
          outcomes: ((key: string) => Outcome)[],
        ): Promise<{ emailId: string; values: AttemptRecord[] }> {
          const toAddresses = outcomes.map((_, i) => `user${i}@recipient.example`);
          const { id } = await one.intake.accept(submission(fixture.accountId, { toAddresses }));
          const job = (await one.queue.claim(10)).find(({ email }) => email.id === id);
          expect(job).toBeDefined();
          if (job)
            await one.queue.settle(
              job,
              outcomes.map((make, ordinal) => make(String(ordinal))),
            );
          const { rows } = await fixture.db.database.query<{ id: string }>(
            'SELECT id FROM attempts WHERE email_id = $1 AND tx IS NOT NULL ORDER BY ordinal',
            [id],
          );
          const ids = rows.map((row) => row.id);
          const records = await attemptRecords(fixture.db.database).load([...ids, 'atm_unknown']);
          expect(records.map(({ rowId, id: recordId, key }) => [rowId, recordId, key])).toEqual(
            ids.map((row) => [row, row, id]),
          );
          return { emailId: id, values: records.map(({ value }) => JSON.parse(value) as AttemptRecord) };
        },
    );

  it.beforeAll(async ({ fixture }) => {
    one = await fixture.open();
  });
  const refused = { code: 550, enhanced: '5.1.1', text: 'no such user' };

  it('have the facts of each attempt', async ({ fixture, attempt }) => {
    const { emailId, values } = await attempt([
      (key) => ({ ...AT, key, kind: 'delivered', reply: { code: 250, enhanced: null, text: 'ok' }, remote: unknown }),
      (key) => ({
        ...AT,
        key,
        kind: 'bounced',
        phase: 'rcpt',
        class: 'invalid_recipient',
        bounceType: 'hard',
        reply: refused,
        remote: outlook,
      }),
      (key) => ({
        ...AT,
        key,
        kind: 'deferred',
        certainty: 'not_sent',
        phase: 'dns',
        class: 'routing',
        reply: { code: null, enhanced: null, text: 'no answer' },
        remote: NO_REMOTE,
      }),
    ]);
    const [delivered, bounced, deferred] = values;
    expect(bounced).toEqual({
      id: expect.stringMatching(/^atm_/),
      account_id: fixture.accountId,
      domain_id: expect.stringMatching(/^dom_/),
      email_id: emailId,
      recipient: 'user1@recipient.example',
      number: 1,
      outcome: 'bounced',
      smtp_code: 550,
      enhanced_code: '5.1.1',
      bounce_class: 'invalid_recipient',
      provider: 'microsoft',
      mx: outlook.mx,
      ip: '192.0.2.1',
      tls: 'TLSv1.3',
      started_at: '2026-03-01T12:00:00.000Z',
      ended_at: '2026-03-01T12:00:01.500Z',
      schema_version: 1,
    });
    expect(delivered).toMatchObject({ outcome: 'delivered', bounce_class: null, provider: 'recipient.example' });
    expect(deferred).toMatchObject({ outcome: 'deferred', bounce_class: 'routing', provider: null, smtp_code: null });
  });

  it('are those of plain deliveries, too', async ({ attempt }) => {
    const { values } = await attempt([
      (key) => ({ ...AT, key, kind: 'delivered', reply: { code: 250, enhanced: null, text: 'ok' }, remote: google }),
    ]);
    expect(values).toHaveLength(1);
    expect(values[0]).toMatchObject({ outcome: 'delivered', provider: 'google', mx: google.mx });
  });
});
