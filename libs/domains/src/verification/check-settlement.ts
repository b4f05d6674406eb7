import type { Config } from '#libs/kernel';
import { appendEvents, isDuplicate, type Database, type Queryable } from '#libs/persistence';
import { storeRing } from '../dkim/key-rows.js';
import { domainEvent, type DomainEventReason } from '../domain-event.js';
import { DOMAIN_COLUMNS, type DomainRow } from '../domain-row.js';
import type { Slot } from '../expected-records.js';
import { wakeClaimants } from '../wake-claimants.js';
import { judgeDomain, judgeVouched, type DomainVerdict, type Moment } from './domain-verdict.js';
import { wrong, type Outcome } from './judgement.js';
import { keysDueInMs, turnKeys } from './key-turn.js';

type CheckedRow = DomainRow & { askedAt: Date | null; sequence: number; now: Date };
export type Outcomes = ReadonlyMap<Slot, Outcome>;

/** What DNS said, and when. */
interface Look {
  outcomes: Outcomes;
  at: Moment;
}

/** What became of a domain; `reasons` are those of the events that tell of it. */
export interface Settled {
  status: DomainRow['status'];
  reasons: DomainEventReason[];
}

/** Whoever changes keys takes the fence as well: those that are read here beside the lock are of the locked row. */
const LOCK = `
  SELECT ${DOMAIN_COLUMNS}, asked_at AS "askedAt", sequence, now() AS now
    FROM domains WHERE id = $1 AND fence = $2 FOR UPDATE`;

const SETTLE = `
  UPDATE domains SET status = $2, findings = $3, verified_at = $4, warning_since = $5, sequence = $6,
                     checked_at = now(), updated_at = now(), due_at = now() + make_interval(secs => $7)
   WHERE id = $1
  RETURNING ${DOMAIN_COLUMNS}`;

/** Writes down what follows from a look at DNS: for the domain, for its keys, and for whoever wants to hear of it. */
export class CheckSettlement {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** Null when the check does not count any more: the entry changed hands, or is gone. */
  async settle(id: string, fence: number, outcomes: Outcomes): Promise<Settled | null> {
    try {
      return await this.database.transaction((tx) => this.settleIn(tx, { id, fence, outcomes }));
    } catch (error) {
      // Another account's entry became active between our look and our write; now it is there to be seen.
      if (!isDuplicate(error)) throw error;
      return this.database.transaction((tx) => this.settleIn(tx, { id, fence, outcomes }));
    }
  }

  private async settleIn(
    tx: Queryable,
    { id, fence, outcomes }: { id: string; fence: number; outcomes: Outcomes },
  ): Promise<Settled | null> {
    const { rows } = await tx.query<CheckedRow>(LOCK, [id, fence]);
    if (rows.length === 0) return null;
    const [row] = rows;
    const at: Moment = { now: row.now, intervalMs: this.config.settings.DOMAIN_CHECK_INTERVAL };
    const turned = turnKeys(row, outcomes, at);
    const verdict = await this.verdict(tx, { ...row, findings: turned.findings }, { outcomes: turned.outcomes, at });
    const reasons = [turned.change, verdict.reason].filter((reason) => reason !== null);
    const due = [verdict.dueInMs, keysDueInMs(turned.keys, row.askedAt, at)].filter((ms) => ms !== null);
    await storeRing(tx, row, turned.keys);
    const settled = await tx.query<DomainRow>(SETTLE, [
      id,
      verdict.status,
      JSON.stringify(verdict.findings),
      verdict.verifiedAt,
      verdict.warningSince,
      row.sequence + reasons.length,
      due.length === 0 ? null : Math.min(...due) / 1_000,
    ]);
    const events = reasons.map((reason, i) => {
      const of = { type: 'domain.updated' as const, reason, sequence: row.sequence + i + 1, at: row.now };
      return domainEvent(settled.rows[0], this.config.settings.SERVICE_DOMAIN, of);
    });
    await appendEvents(tx, events);
    if (row.status === 'active' && verdict.status === 'failed') await wakeClaimants(tx, row.name);
    return { status: verdict.status, reasons };
  }

  /** The first account to publish its key has the domain (D-43); the others wait until it is given up. */
  private async verdict(tx: Queryable, row: CheckedRow, { outcomes, at }: Look): Promise<DomainVerdict> {
    if (row.vouched) return judgeVouched(row, outcomes, at);
    const verdict = judgeDomain(row, outcomes, at);
    if (row.status === 'active' || verdict.status !== 'active') return verdict;
    const owners = await tx.query(`SELECT 1 FROM domains WHERE name = $1 AND status = 'active' AND id <> $2`, [
      row.name,
      row.id,
    ]);
    return owners.rowCount === 0 ? verdict : judgeDomain(row, withTakenKey(outcomes), at);
  }
}

/** Told only to those who proved by their own key that they hold the zone. */
function withTakenKey(outcomes: Outcomes): Outcomes {
  const dkim = outcomes.get('dkim');
  const observed = dkim && dkim.verdict !== 'unanswered' ? dkim.observed : [];
  const error =
    'The key is published, but the domain is active in another account. Remove it there, or its key from DNS; this entry becomes active then.';
  return new Map(outcomes).set('dkim', wrong(observed, error));
}
