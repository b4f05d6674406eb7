import type { EventData } from '#libs/contracts';
import { databaseClock } from '#libs/kernel';
import { outbox, requestNotice, type Queryable } from '#libs/persistence';
import { AuditLog, type AuditEntry } from '../audit-log.js';
import type { AccountPenalty } from '../account.resource.js';
import type { ExceededLimit } from './penalty-rules.js';
import type { OutcomeCounts, OutcomeTotals } from './sending-outcomes.js';

type PoolChange = EventData['account.pool_changed'];

/** The actor of changes that the limits caused, in the audit log. */
const SERVICE = 'service';
const NO_FIGURES = { recipients: null, hard_bounces: null, complaints: null, blocks: null, limit_percent: null };

/** A penalty that begins now. */
export function newPenalty(limit: ExceededLimit | null, counts: OutcomeCounts): AccountPenalty {
  const since = databaseClock.date().toISOString();
  return {
    reason: limit?.reason ?? 'operator',
    since,
    recipients: counts.recipients,
    hard_bounces: counts.hardBounces,
    complaints: counts.complaints,
    blocks: counts.blocks,
    limit_percent: limit?.limitPercent ?? null,
    exceeded_on: limit === null ? null : since.slice(0, 10),
    clean_days: [],
  };
}

/** Moves an account that no operator has decided about to the penalty pool. Null if it is there already. */
export async function penalise(tx: Queryable, totals: OutcomeTotals, limit: ExceededLimit): Promise<PoolChange | null> {
  const { accountId } = totals;
  const penalty = newPenalty(limit, totals);
  const { rows } = await tx.query<{ sequence: number }>(
    `UPDATE accounts SET penalty = $2, sequence = sequence + 1
      WHERE id = $1 AND penalty IS NULL AND pool_choice = 'auto' RETURNING sequence`,
    [accountId, JSON.stringify(penalty)],
  );
  if (rows.length === 0) return null;
  return announceAutomatic(tx, { accountId, sequence: rows[0].sequence, change: changeTo('penalty', penalty) });
}

/** Moves an account back that no operator has decided about. Null if it is not there any more. */
export async function endPenalty(tx: Queryable, accountId: string): Promise<PoolChange | null> {
  const { rows } = await tx.query<{ sequence: number }>(
    `UPDATE accounts SET penalty = NULL, sequence = sequence + 1
      WHERE id = $1 AND penalty IS NOT NULL AND pool_choice = 'auto' RETURNING sequence`,
    [accountId],
  );
  if (rows.length === 0) return null;
  const change = { ...changeTo('default', null), reason: 'clean_days' as const };
  return announceAutomatic(tx, { accountId, sequence: rows[0].sequence, change });
}

/** The change by the operator, or by a penalty that begins. */
export function changeTo(pool: PoolChange['pool'], penalty: AccountPenalty | null): PoolChange {
  const changed_at = penalty?.since ?? databaseClock.date().toISOString();
  if (penalty === null || penalty.reason === 'operator') return { pool, reason: 'operator', changed_at, ...NO_FIGURES };
  const { reason, recipients, hard_bounces, complaints, blocks, limit_percent } = penalty;
  return { pool, reason, changed_at, recipients, hard_bounces, complaints, blocks, limit_percent };
}

interface AnnouncedChange {
  accountId: string;
  sequence: number;
  change: PoolChange;
}

/** The event and the notice of a change. */
export async function announcePool(tx: Queryable, { accountId, sequence, change }: AnnouncedChange): Promise<void> {
  const type = 'account.pool_changed' as const;
  const at = new Date(change.changed_at);
  const event = outbox.event({
    type,
    data: change,
    accountId,
    key: accountId,
    sequence,
    domainId: null,
    test: false,
    at,
  });
  await outbox.append(tx, [event]);
  await requestNotice(tx, { accountId, kind: type, facts: change, subject: change.pool });
}

async function announceAutomatic(tx: Queryable, of: AnnouncedChange): Promise<PoolChange> {
  const { accountId, change } = of;
  await announcePool(tx, of);
  const { pool, reason } = change;
  const entry: AuditEntry = {
    accountId,
    actor: SERVICE,
    action: 'account.pool_changed',
    target: accountId,
    details: { pool, reason },
  };
  await new AuditLog().record(tx, entry);
  return change;
}
