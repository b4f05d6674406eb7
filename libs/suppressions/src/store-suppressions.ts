import { newId } from '#libs/contracts';
import { appendEvents, type Queryable } from '#libs/persistence';
import type { NewSuppression } from './new-suppression.js';
import { suppressionEvent } from './suppression-event.js';
import type { SuppressionEntity } from './suppression.entity.js';

export const SUPPRESSION_COLUMNS = `id, account_id AS "accountId", address, domain_id AS "domainId", origin, reason,
  source_id AS "sourceId", evidence, expires_at AS "expiresAt", created_at AS "createdAt"`;

/**
 * An expired entry counts as none; a lasting one is not shortened by one that expires. A complaint takes the place of
 * anything that lasts no longer, because taking it away again needs more than the others do.
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
  RETURNING ${SUPPRESSION_COLUMNS}`;

/**
 * Puts entries on the list, in the caller's transaction, each with its event. No two of them may have the same account,
 * address and domain; in order of address, two callers cannot wait for each other in a ring.
 * @returns the new entries; where one that lasts at least as long was there already, that one stays as it is.
 */
export async function storeSuppressions(
  tx: Queryable,
  entries: readonly NewSuppression[],
): Promise<SuppressionEntity[]> {
  const columns: unknown[][] = Array.from({ length: 9 }, () => []);
  for (const entry of entries) valuesOf(entry).forEach((value, i) => columns[i].push(value));
  const { rows } = await tx.query<SuppressionEntity>({ name: 'suppressions-store', text: STORE, values: columns });
  await appendEvents(
    tx,
    rows.map((row) => suppressionEvent('suppression.added', row)),
  );
  return rows;
}

function valuesOf(entry: NewSuppression): unknown[] {
  const { accountId, address, origin, reason, sourceId, domainId = null, evidence = null, expiresAt = null } = entry;
  const facts = evidence === null ? null : JSON.stringify(evidence);
  return [newId('sup'), accountId, address, domainId, origin, reason, sourceId, facts, expiresAt];
}
