import { routedEvent, appendEvents, type Queryable } from '#libs/persistence';
import type { DisabledReason } from './webhook.entity.js';

/** After this long without one success an endpoint that still fails is disabled: long enough for a weekend (D-38). */
export const FAILING_TOO_LONG = `interval '3 days'`;

/**
 * The endpoint gets nothing more, and everything that waited for it has failed, calls in flight included; it can be
 * replayed once the endpoint is enabled again. The other endpoints of the account hear of it. For `failing` it is judged
 * once more under the row's lock whether that is still so. Returns the account, or null when nothing changed.
 */
export async function disableWebhook(
  tx: Queryable,
  { id, reason }: { id: string; reason: DisabledReason },
): Promise<string | null> {
  const { rows } = await tx.query<{ account_id: string; url: string; sequence: number; updated_at: Date }>(
    `UPDATE webhooks
        SET status = 'disabled', disabled_reason = $2, sequence = sequence + 1, updated_at = now()
      WHERE id = $1 AND status = 'enabled' AND ($2 <> 'failing' OR failing_since < now() - ${FAILING_TOO_LONG})
    RETURNING account_id, url, sequence, updated_at`,
    [id, reason],
  );
  if (rows.length === 0) return null;
  await tx.query(
    `UPDATE webhook_deliveries
        SET status = 'failed', due_at = NULL, claimed_by = NULL, last_error = 'endpoint_disabled', updated_at = now()
      WHERE webhook_id = $1 AND status = 'pending'`,
    [id],
  );
  const [{ account_id: accountId, url, sequence, updated_at: at }] = rows;
  const data = { webhook_id: id, url, reason, disabled_at: at.toISOString() };
  const about = { accountId, key: id, sequence, domainId: null, test: false, at };
  await appendEvents(tx, [routedEvent({ type: 'webhook.disabled', data, ...about })]);
  return accountId;
}
