import type { Config } from '#libs/kernel';
import { outbox, type Database, type Queryable, databaseErrors } from '#libs/persistence';
import { storeKeyRing } from '../dkim/key-rows.js';
import { domainEvent, type DomainEventReason } from '../model/domain-event.js';
import { DOMAIN_COLUMNS, recheckOtherEntries, type DomainRow } from '../model/domain-row.js';
import type { Slot } from '../model/expected-records.js';
import {
  transitionDomain,
  transitionVouched,
  type DomainState,
  type DomainTransition,
  type CheckTime,
} from './domain-transition.js';
import { wrong, type Outcome } from './judgement.js';
import { nextKeyCheckInMs, stepKeyRotation } from './key-rotation-step.js';

type CheckedRow = DomainRow & { askedAt: Date | null; sequence: number; now: Date };
export type Outcomes = ReadonlyMap<Slot, Outcome>;

interface TimedOutcomes {
  outcomes: Outcomes;
  at: CheckTime;
}

/** The new state of a domain. `reasons` are those of the events. */
export interface AppliedCheck {
  status: DomainRow['status'];
  reasons: DomainEventReason[];
}

/** A change of keys increments the fence, so the keys that this statement reads are those of the locked row. */
const LOCK = `
  SELECT ${DOMAIN_COLUMNS}, check_requested_at AS "askedAt", sequence, now() AS now
    FROM domains WHERE id = $1 AND fence = $2 FOR UPDATE`;

const UPDATE = `
  UPDATE domains SET status = $2, findings = $3, verified_at = $4, warning_since = $5, sequence = $6,
                     checked_at = now(), updated_at = now(), due_at = now() + make_interval(secs => $7)
   WHERE id = $1
  RETURNING ${DOMAIN_COLUMNS}`;

/** Applies the outcomes of a check: updates the domain and its keys and appends the events. */
export class CheckResults {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** Null when the entry was removed, or claimed or changed again, since the check began. */
  async apply(id: string, fence: number, outcomes: Outcomes): Promise<AppliedCheck | null> {
    try {
      return await this.database.transaction((tx) => this.applyIn(tx, { id, fence, outcomes }));
    } catch (error) {
      // The entry of another account became active in the meantime. The second attempt sees it.
      if (!databaseErrors.isDuplicate(error)) throw error;
      return this.database.transaction((tx) => this.applyIn(tx, { id, fence, outcomes }));
    }
  }

  private async applyIn(
    tx: Queryable,
    { id, fence, outcomes }: { id: string; fence: number; outcomes: Outcomes },
  ): Promise<AppliedCheck | null> {
    const { rows } = await tx.query<CheckedRow>(LOCK, [id, fence]);
    if (rows.length === 0) return null;
    const [row] = rows;
    const at: CheckTime = { now: row.now, intervalMs: this.config.settings.DOMAIN_CHECK_INTERVAL };
    const step = stepKeyRotation(row, outcomes, at);
    const transition = await this.transition(tx, { ...row, findings: step.findings }, { outcomes: step.outcomes, at });
    const reasons = [step.change, transition.reason].filter((reason) => reason !== null);
    const due = [transition.dueInMs, nextKeyCheckInMs(step.keys, row.askedAt, at)].filter((ms) => ms !== null);
    await storeKeyRing(tx, row, step.keys);
    const updated = await tx.query<DomainRow>(UPDATE, [
      id,
      transition.status,
      JSON.stringify(transition.findings),
      transition.verifiedAt,
      transition.warningSince,
      row.sequence + reasons.length,
      due.length === 0 ? null : Math.min(...due) / 1_000,
    ]);
    const events = reasons.map((reason, i) => {
      const of = { type: 'domain.updated' as const, reason, sequence: row.sequence + i + 1, at: row.now };
      return domainEvent(updated.rows[0], this.config.settings.SERVICE_DOMAIN, of);
    });
    await outbox.append(tx, events);
    if (row.status === 'active' && transition.status === 'failed') await recheckOtherEntries(tx, row.name);
    return { status: transition.status, reasons };
  }

  /** The first account to publish its key owns the domain. Entries of others stay pending while it is active. */
  private async transition(tx: Queryable, row: CheckedRow, { outcomes, at }: TimedOutcomes): Promise<DomainTransition> {
    const state = stateOf(row);
    if (row.vouched) return transitionVouched(state, outcomes, at);
    const transition = transitionDomain(state, outcomes, at);
    if (row.status === 'active' || transition.status !== 'active') return transition;
    const owners = await tx.query(`SELECT 1 FROM domains WHERE name = $1 AND status = 'active' AND id <> $2`, [
      row.name,
      row.id,
    ]);
    return owners.rowCount === 0 ? transition : transitionDomain(state, withDomainTaken(outcomes), at);
  }
}

const stateOf = (row: CheckedRow): DomainState => ({
  status: row.status,
  createdAt: row.created_at,
  askedAt: row.askedAt,
  verifiedAt: row.verified_at,
  warningSince: row.warning_since,
  findings: row.findings,
});

/** For entries whose own key is published: only these learn that the domain is active in another account. */
function withDomainTaken(outcomes: Outcomes): Outcomes {
  const dkim = outcomes.get('dkim');
  const observed = dkim && dkim.verdict !== 'unanswered' ? dkim.observed : [];
  const error =
    'The key is published, but the domain is active in another account. Remove it there, or its key from DNS; this entry becomes active then.';
  return new Map(outcomes).set('dkim', wrong(observed, error));
}
