import { newId } from '#libs/contracts';
import { outbox, type Queryable } from '#libs/persistence';
import { suppressionEvent } from './suppression-event.js';
import {
  suppression,
  type SuppressionEvidence,
  type SuppressionOrigin,
  type SuppressionRow,
} from '../suppression.resource.js';

export interface NewSuppression {
  accountId: string;
  /** In the form of `normaliseAddress` of mime. */
  address: string;
  origin: SuppressionOrigin;
  /** Free text for people. */
  reason: string | null;
  /** The message that led to the entry. */
  sourceId: string | null;
  /** Undefined or null for a permanent entry. */
  expiresAt?: Date | null;
  /** A sending domain of the account, which the caller has checked; undefined or null for all mail of the account. */
  domainId?: string | null;
  evidence?: SuppressionEvidence | null;
  /** The message was written by a person in the dashboard: no entry is made for a member of the account. */
  sparesMembers?: boolean;
}

/**
 * A new entry replaces one that has expired or expires earlier. A permanent complaint replaces other permanent entries,
 * because its removal requires `force`.
 */
const STORE = `
  INSERT INTO suppressions AS old
         (id, account_id, address, domain_id, origin, reason, source_id, evidence, expires_at)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::jsonb[],
                       $9::timestamptz[])
  ON CONFLICT (account_id, address, (coalesce(domain_id, ''))) DO UPDATE
     SET id = excluded.id, origin = excluded.origin, reason = excluded.reason, source_id = excluded.source_id,
         evidence = excluded.evidence, expires_at = excluded.expires_at, created_at = now()
   WHERE old.expires_at <= now() OR excluded.expires_at IS NULL AND old.expires_at IS NOT NULL
      OR excluded.expires_at > old.expires_at
      OR excluded.expires_at IS NULL AND excluded.origin = 'complaint' AND old.origin <> 'complaint'
  RETURNING ${suppression.columns}`;

/**
 * Stores entries in the caller's transaction, each with its event. No two of them may have the same account, address and
 * domain; in the order of addresses, concurrent callers cannot deadlock.
 * @returns the new entries, without those for which an entry that lasts at least as long existed
 */
export async function storeSuppressions(tx: Queryable, entries: readonly NewSuppression[]): Promise<SuppressionRow[]> {
  const columns: unknown[][] = Array.from({ length: 9 }, () => []);
  for (const entry of entries) valuesOf(entry).forEach((value, i) => columns[i].push(value));
  const { rows } = await tx.query<SuppressionRow>({ name: 'suppressions-store', text: STORE, values: columns });
  await outbox.append(
    tx,
    rows.map((row) => suppressionEvent('suppression.added', row)),
  );
  return rows;
}

function valuesOf(entry: NewSuppression): unknown[] {
  const { accountId, address, origin, reason, sourceId, domainId = null, evidence = null, expiresAt = null } = entry;
  const evidenceJson = evidence === null ? null : JSON.stringify(evidence);
  return [newId('sup'), accountId, address, domainId, origin, reason, sourceId, evidenceJson, expiresAt];
}
