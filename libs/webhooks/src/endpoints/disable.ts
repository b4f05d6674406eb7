import { outbox, requestNotice, type Queryable } from '#libs/persistence';
import type { DisabledReason } from '../webhook.resource.js';

/** An endpoint that fails for so long without one success is disabled; long enough to survive a weekend. */
export const MAX_FAILING_TIME = `interval '3 days'`;

/** Deliveries that one statement fails: it must not hold locks for long, or keep the dead rows of a long one. */
const FAILED_AT_ONCE = 1_000;

/**
 * Marks an endpoint as disabled; call `failPending` after the commit. The other endpoints of the account receive
 * `webhook.disabled`. For the reason `failing` the condition is checked again under the lock of the row. The lock must
 * be short, because the fan-out of all accounts waits for it. Returns the account, or null when nothing changed.
 */
export async function disableWebhook(
  tx: Queryable,
  { id, reason }: { id: string; reason: DisabledReason },
): Promise<string | null> {
  const { rows } = await tx.query<{ account_id: string; url: string; sequence: number; updated_at: Date }>(
    `UPDATE webhooks
        SET status = 'disabled', disabled_reason = $2, sequence = sequence + 1, updated_at = now()
      WHERE id = $1 AND status = 'enabled' AND ($2 <> 'failing' OR failing_since < now() - ${MAX_FAILING_TIME})
    RETURNING account_id, url, sequence, updated_at`,
    [id, reason],
  );
  if (rows.length === 0) return null;
  const [{ account_id: accountId, url, sequence, updated_at: at }] = rows;
  const data = { webhook_id: id, url, reason, disabled_at: at.toISOString() };
  const about = { accountId, key: id, sequence, domainId: null, test: false, at };
  await outbox.append(tx, [outbox.event({ type: 'webhook.disabled', data, ...about })]);
  await requestNotice(tx, { accountId, kind: 'webhook.disabled', facts: data, subject: id });
  return accountId;
}

/**
 * Fails the pending deliveries of a disabled endpoint, those in flight included; they can be replayed once the endpoint
 * is enabled again. Stops when it is enabled meanwhile.
 */
export async function failPending(database: Queryable, id: string): Promise<void> {
  for (let failed = FAILED_AT_ONCE; failed === FAILED_AT_ONCE;) {
    const { rowCount } = await database.query(
      `UPDATE webhook_deliveries
          SET status = 'failed', due_at = NULL, is_due = NULL, claimed_by = NULL, last_error = 'endpoint_disabled', updated_at = now()
        WHERE id IN (SELECT id FROM webhook_deliveries
                      WHERE webhook_id = $1 AND status = 'pending'
                        AND EXISTS (SELECT FROM webhooks WHERE id = $1 AND status = 'disabled')
                      LIMIT ${FAILED_AT_ONCE} FOR UPDATE)`,
      [id],
    );
    failed = rowCount;
  }
}

/** Disabled endpoints with pending deliveries: a process ended between disabling and failing them. */
export async function withPendingDeliveries(database: Queryable): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `SELECT w.id FROM webhooks w
      WHERE w.status = 'disabled' AND EXISTS (
        SELECT FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.claimed_by IS NULL)`,
  );
  return rows.map(({ id }) => id);
}
