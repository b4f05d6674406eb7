import { Injectable } from '@nestjs/common';
import { Log, SecretBox } from '#libs/kernel';
import { addressErasure } from '#libs/mime';
import { Database } from '#libs/persistence';
import { StatsStore } from '#libs/stats';
import { STEPS, stepAfter, type Step, type StepResult } from './erasure-steps.js';

interface ClaimedErasure {
  id: string;
  account_id: string;
  erased_as: string;
  sealed: Buffer;
  step: Step;
  cursor: string;
  waiting: number;
  fence: number;
}

/** A claim whose program was killed is free after this time. */
const CLAIM = `interval '60 seconds'`;
const NEXT = (accounts: string) => `
  SELECT id FROM erasures
   WHERE finished_at IS NULL AND ${accounts} AND due_at <= now() AND (claimed_until IS NULL OR claimed_until < now())
   ORDER BY account_id, id LIMIT 1 FOR UPDATE SKIP LOCKED`;

/** Of the next account after $1, or from the first one on. */
const CLAIM_NEXT = `
  WITH following AS (${NEXT('account_id > $1')}),
       first AS (SELECT * FROM (${NEXT('account_id <= $1')}) AS first WHERE NOT EXISTS (SELECT FROM following)),
       next AS (SELECT id FROM following UNION ALL SELECT id FROM first)
  UPDATE erasures SET status = 'running', claimed_until = now() + ${CLAIM}, fence = fence + 1
    FROM next WHERE erasures.id = next.id
  RETURNING erasures.id, account_id, erased_as, sealed, step, cursor, waiting, fence`;

/** After a failure, for example while the statistics store is unavailable. */
const RETRY_MS = 10_000;

/**
 * Runs erasures batch by batch, each with its progress stored after it, so that a killed program loses at most one batch,
 * which is repeated without harm. Several programs share the work; a claim has a fence, so that an outdated one stores nothing.
 */
@Injectable()
export class ErasureRunner {
  /** The account of the last claim: accounts take turns, whatever the number of their erasures. */
  private lastAccount = '';

  constructor(
    private readonly database: Database,
    private readonly stats: StatsStore,
    private readonly secretBox: SecretBox,
    private readonly log: Log,
  ) {}

  /** One batch of the oldest due erasure of the next account that has one. Returns false if no account has. */
  async round(): Promise<boolean> {
    const erasure = await this.claim();
    if (erasure === null) return false;
    try {
      await this.store(erasure, await this.run(erasure));
    } catch (error) {
      this.log.warn('an erasure cannot go on yet', {
        erasure: erasure.id,
        step: erasure.step,
        reason: (error as Error).message,
      });
      await this.release(erasure, RETRY_MS);
    }
    return true;
  }

  private async claim(): Promise<ClaimedErasure | null> {
    const { rows } = await this.database.query<ClaimedErasure>(CLAIM_NEXT, [this.lastAccount]);
    const claimed = rows.at(0) ?? null;
    if (claimed !== null) this.lastAccount = claimed.account_id;
    return claimed;
  }

  private run({
    id,
    account_id: accountId,
    erased_as: erasedAs,
    sealed,
    ...progress
  }: ClaimedErasure): Promise<StepResult> {
    const written = JSON.parse(this.secretBox.open(sealed, id)) as string[];
    const erasure = addressErasure({ accountId, address: written[0], erasedAs, written });
    const { cursor, waiting } = progress;
    return STEPS[progress.step]({ database: this.database, stats: this.stats, erasure, cursor, waiting });
  }

  private async store(erasure: ClaimedErasure, result: StepResult): Promise<void> {
    const isStepDone = result.cursor === null;
    const next = isStepDone ? stepAfter(erasure.step) : erasure.step;
    const { rowCount } = await this.database.query(
      `UPDATE erasures SET step = coalesce($3, step), cursor = $4, sealed = $5, waiting = $6,
              counts = (SELECT coalesce(jsonb_object_agg(name, total), '{}') FROM (
                SELECT name, sum(value::bigint) AS total
                  FROM (SELECT * FROM jsonb_each_text(counts) UNION ALL SELECT * FROM jsonb_each_text($7::jsonb))
                       AS parts (name, value) GROUP BY name) AS added),
              due_at = now() + $8 * interval '1 millisecond', claimed_until = NULL,
              status = CASE WHEN $3::text IS NULL THEN 'completed' ELSE status END,
              finished_at = CASE WHEN $3::text IS NULL THEN now() END
        WHERE id = $1 AND fence = $2 AND finished_at IS NULL`,
      [
        erasure.id,
        erasure.fence,
        next,
        isStepDone ? '' : result.cursor,
        next === null ? null : this.sealedWith(erasure, result.written ?? []),
        result.waiting ?? erasure.waiting,
        JSON.stringify(result.counts),
        result.waitMs ?? 0,
      ],
    );
    if (rowCount > 0 && next === null) this.log.info('an erasure is completed', { erasure: erasure.id });
  }

  /** The forms of the address that occur in stored data, for the stores that are searched for text. */
  private sealedWith({ id, sealed }: ClaimedErasure, written: readonly string[]): Buffer {
    const known = JSON.parse(this.secretBox.open(sealed, id)) as string[];
    const all = [...new Set([...known, ...written.map((address) => address.toLowerCase())])];
    return all.length === known.length ? sealed : this.secretBox.seal(JSON.stringify(all), id);
  }

  private async release({ id, fence }: ClaimedErasure, ms: number): Promise<void> {
    await this.database
      .query(
        `UPDATE erasures SET claimed_until = NULL, due_at = now() + $3 * interval '1 millisecond' WHERE id = $1 AND fence = $2`,
        [id, fence, ms],
      )
      .catch(() => undefined);
  }
}
