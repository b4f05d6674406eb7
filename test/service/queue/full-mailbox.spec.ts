import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pruneFullMailboxes } from '../../../libs/queue/src/settle/suppress-on-bounce.js';
import { NO_REMOTE, type Outcome } from '#libs/mta';
import {
  openQueueFixture,
  submission,
  type QueueProcess,
  type QueueFixture,
} from '../../support/delivery/queue-fixture.js';
import { OUTBOX_EVENTS } from '../../support/persistence/test-database.js';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-03-01T00:00:00Z');
const ADDRESS = 'Full@Recipient.example';
const onDay = (day: number) => new Date(START + day * DAY_MS);

type Answer = 'full' | 'full for now' | 'taken' | 'unknown words';

function outcome(key: string, answer: Answer, day: number): Outcome {
  const at = onDay(day);
  const common = { key, remote: { ...NO_REMOTE, mx: 'mx.recipient.example' }, startedAt: at, endedAt: at };
  switch (answer) {
    case 'taken':
      return { ...common, kind: 'delivered', reply: { code: 250, enhanced: '2.0.0', text: 'taken' } };
    case 'full':
      return {
        ...common,
        kind: 'bounced',
        phase: 'rcpt',
        class: 'quota',
        bounceType: 'soft',
        reply: { code: 552, enhanced: '5.2.2', text: 'mailbox full' },
      };
    case 'full for now':
      return {
        ...common,
        kind: 'deferred',
        certainty: 'answered',
        phase: 'rcpt',
        class: 'quota',
        reply: { code: 452, enhanced: '4.2.2', text: 'mailbox full for now' },
      };
    case 'unknown words':
      return {
        ...common,
        kind: 'bounced',
        phase: 'rcpt',
        class: 'undetermined',
        bounceType: 'undetermined',
        reply: { code: 550, enhanced: null, text: 'no' },
      };
  }
}

describe('a mailbox that stays full, on a real database', () => {
  let fixture: QueueFixture;
  let program: QueueProcess;
  beforeAll(async () => {
    fixture = await openQueueFixture();
    program = await fixture.open();
  });
  afterAll(() => fixture?.close());
  beforeEach(async () => {
    for (const table of [
      'emails',
      'recipients',
      'email_contents',
      'outbox',
      'attempts',
      'suppressions',
      'full_mailboxes',
    ])
      await fixture.db.database.query(`DELETE FROM ${table}`);
  });

  const rows = async <R>(sql: string) => (await fixture.db.database.query<R>(sql)).rows;
  const entries = () =>
    rows<{ address: string; origin: string; reason: string; source_id: string; expires_at: Date | null }>(
      'SELECT address, origin, reason, source_id, expires_at FROM suppressions',
    );
  /** A new mail, answered on that day of March 2026. */
  async function mail(answer: Answer, day: number, over: Parameters<typeof submission>[1] = {}): Promise<string> {
    const { id } = await program.intake.accept(submission(fixture.accountId, { toAddresses: [ADDRESS], ...over }));
    await attempt(answer, day);
    return id;
  }
  async function attempt(answer: Answer, day: number): Promise<void> {
    await fixture.db.database.query(`UPDATE recipients SET due_at = now() WHERE status IN ('queued', 'deferred')`);
    const [job] = await program.queue.claim(1);
    const [recipient] = job.recipients;
    recipient.expiresAt = onDay(day + 2);
    await program.queue.settle(job, [outcome(String(recipient.ordinal), answer, day)]);
  }

  it('is suppressed for thirty days after three mails over a week', async () => {
    await mail('full', 0);
    await mail('full', 3);
    expect(await entries()).toEqual([]);
    const last = await mail('full', 7);
    expect(await entries()).toEqual([
      {
        address: 'full@recipient.example',
        origin: 'bounce',
        reason: 'mailbox full',
        source_id: last,
        expires_at: onDay(37),
      },
    ]);
    expect(await rows(`SELECT type FROM ${OUTBOX_EVENTS} WHERE type = 'suppression.added'`)).toHaveLength(1);
  });

  it('is not after three mails in less than a week, nor after two over a longer time', async () => {
    for (const day of [0, 3, 6.9]) await mail('full', day);
    expect(await entries()).toEqual([]);
    await fixture.db.database.query('DELETE FROM full_mailboxes');
    for (const day of [0, 20]) await mail('full', day);
    expect(await entries()).toEqual([]);
  });

  it('counts the retries of one mail once', async () => {
    await mail('full for now', 0);
    for (const day of [1, 2, 8, 9]) await attempt('full for now', day);
    expect(await entries()).toEqual([]);
    expect(await rows('SELECT cardinality(email_ids) AS mails FROM full_mailboxes')).toEqual([{ mails: 1 }]);
  });

  it('counts what is only full for now as well', async () => {
    await mail('full for now', 0);
    await fixture.db.database.query(`UPDATE recipients SET status = 'failed', due_at = NULL`);
    await mail('full', 4);
    await mail('full for now', 8);
    expect(await entries()).toMatchObject([{ reason: 'mailbox full for now' }]);
  });

  it('that took a mail in between begins anew', async () => {
    await mail('full', 0);
    await mail('full', 1);
    await mail('taken', 5);
    await mail('full', 8);
    expect(await entries()).toEqual([]);
    for (const day of [9, 10, 16]) await mail('full', day);
    expect(await entries()).toHaveLength(1);
  });

  it('begins anew after a month without a refusal, and after its entry', async () => {
    for (const day of [0, 1, 40, 41]) await mail('full', day);
    expect(await entries()).toEqual([]);
    await mail('full', 47);
    expect(await entries()).toHaveLength(1);
    await fixture.db.database.query('DELETE FROM suppressions');
    for (const day of [48, 49]) await mail('full', day);
    expect(await entries()).toEqual([]);
  });

  it('is told apart from other answers, from tests and from other recipients', async () => {
    await mail('unknown words', 0);
    await mail('full', 1, { mode: 'test' });
    await mail('full', 1, { toAddresses: ['other@recipient.example'] });
    await mail('full', 2);
    await mail('full', 9);
    expect(await entries()).toEqual([]);
    expect(await rows('SELECT cardinality(email_ids) AS mails FROM full_mailboxes ORDER BY 1')).toEqual([
      { mails: 1 },
      { mails: 2 },
    ]);
  });

  it('is forgotten a month after the last refusal', async () => {
    await mail('full', 0);
    const { database } = fixture.db;
    expect(await pruneFullMailboxes(database, onDay(29))).toBe(0);
    expect(await pruneFullMailboxes(database, onDay(31))).toBe(1);
  });

  it('is found by indexes alone', async () => {
    const { rows: plan } = await fixture.db.database.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN DELETE FROM full_mailboxes WHERE last_at < now()`,
    );
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('full_mailboxes_age');
  });
});
