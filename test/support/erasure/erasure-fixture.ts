import { AuditLog } from '#libs/accounts';
import { Erasures, ErasureRunner } from '#libs/erasure';
import { Log, SecretBox } from '#libs/kernel';
import { NO_REMOTE, type Outcome } from '#libs/mta';
import type { StatsStore } from '#libs/stats';
import { openQueueFixture, submission, type QueueFixture, type QueueProcess } from '../delivery/queue-fixture.js';

const COLUMNS = 'event_id, key, sequence, account_id, domain_id, api_key_id, type, test, created_at, data';

/** Moves the outbox to the log as the sequencer does, in rows of about 64 events. */
const MOVE_OUTBOX = `
  WITH moved AS (DELETE FROM outbox RETURNING *, cardinality(sequence) AS events),
       numbered AS (SELECT *, sum(events) OVER (ORDER BY id) - events AS earlier FROM moved),
       inserted AS (
         INSERT INTO event_log (first_position, count, moved_at, event_ids, ${COLUMNS})
         SELECT (SELECT coalesce(max(first_position + count), 1) FROM event_log) + min(earlier), sum(events), now(),
                event_id_range(min(event_id[1]), max(event_id[cardinality(event_id)]), '[]'),
                ${COLUMNS.split(', ')
                  .map((name) => `array_concat(${name} ORDER BY id)`)
                  .join(', ')}
           FROM numbered GROUP BY div(earlier, 64) RETURNING *)
  INSERT INTO event_log_accounts (account_id, first_position, count, moved_at, has_test)
  SELECT DISTINCT account, first_position, count, moved_at, false FROM inserted, unnest(account_id) AS account`;

export interface ErasureFixture {
  queue: QueueFixture;
  program: QueueProcess;
  erasures: Erasures;
  runner(): ErasureRunner;
  rows<R>(sql: string, ...values: unknown[]): Promise<R[]>;
  accept(toAddresses: string[]): Promise<unknown>;
  deliverAll(): Promise<void>;
  moveOutbox(): Promise<unknown>;
  /** Runs all steps without the waits between them. */
  finish(id: string, accountId?: string): Promise<void>;
}

/** A database with an account, its mail and a runner of erasures; the statistics store is a stub. */
export async function openErasureFixture(connections?: number): Promise<ErasureFixture> {
  const queue = await openQueueFixture(connections);
  const program = await queue.open();
  const { database, config } = queue.db;
  const secretBox = new SecretBox(config.masterKey);
  const erasures = new Erasures(database, secretBox, config, new AuditLog());
  const stats = { eraseRecipient: () => Promise.resolve(0) } as unknown as StatsStore;
  const runner = () => new ErasureRunner(database, stats, secretBox, Log.quiet());
  const rows = async <R>(sql: string, ...values: unknown[]) => (await database.query<R>(sql, values)).rows;
  const moveOutbox = () => rows(MOVE_OUTBOX);
  return {
    queue,
    program,
    erasures,
    runner,
    rows,
    moveOutbox,
    accept: (toAddresses) => program.intake.accept(submission(queue.accountId, { toAddresses })),
    deliverAll: async () => {
      for (;;) {
        const jobs = await program.queue.claim(100);
        if (jobs.length === 0) return;
        for (const job of jobs)
          await program.queue.settle(
            job,
            job.recipients.map(({ ordinal, address }) => delivered(ordinal, address)),
          );
      }
    },
    finish: async (id, accountId = queue.accountId) => {
      const one = runner();
      for (let rounds = 0; (await erasures.find(accountId, id))?.status !== 'completed'; rounds++) {
        if (rounds > 500) throw new Error('the erasure does not end');
        await rows('UPDATE erasures SET due_at = now(), claimed_until = NULL WHERE finished_at IS NULL');
        await one.round();
        await moveOutbox();
      }
    },
  };
}

const delivered = (ordinal: number, address: string): Outcome => ({
  key: String(ordinal),
  kind: 'delivered',
  reply: { code: 250, enhanced: '2.0.0', text: `taken for <${address}>` },
  remote: { ...NO_REMOTE, mx: 'mx.example' },
  startedAt: new Date(),
  endedAt: new Date(),
});
