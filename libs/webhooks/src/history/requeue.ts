import { Refusal, visibleDomains, type Visibility } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';
import { webhookIsVisible } from '../endpoints/visible-webhooks.js';
import type { DeliveryRow } from '../webhook-event.resource.js';
import { DELIVERY_COLUMNS } from './delivery-view.js';

/** Null without such an endpoint. Locks the endpoint until the end of the transaction. */
export async function isEnabled(tx: Queryable, visibility: Visibility, webhookId: string): Promise<boolean | null> {
  const { rows } = await tx.query<{ enabled: boolean }>(
    `SELECT status = 'enabled' AS enabled FROM webhooks
      WHERE id = $1 AND account_id = $2 AND ${webhookIsVisible(3)} FOR SHARE`,
    [webhookId, visibility.accountId, visibleDomains(visibility)],
  );
  return rows.length === 0 ? null : rows[0].enabled;
}

/** Makes deliveries due again, with all retries. Skips those that are in flight or that a dispatcher is settling. */
export async function requeue(
  tx: Queryable,
  { accountId, webhookId, ids }: { accountId: string; webhookId: string; ids: string[] },
): Promise<DeliveryRow[]> {
  const { rows } = await tx.query<DeliveryRow>(
    `WITH free AS (
       SELECT id FROM webhook_deliveries
        WHERE id = ANY($3) AND webhook_id = $1 AND account_id = $2 AND claimed_by IS NULL
        ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
     UPDATE webhook_deliveries d
        SET status = 'pending', due_at = now(), is_due = true, attempts_before_replay = d.attempts, updated_at = now()
       FROM free WHERE d.id = free.id
     RETURNING ${DELIVERY_COLUMNS}`,
    [webhookId, accountId, ids],
  );
  return rows;
}

export function webhookDisabled(): Refusal {
  const message = 'is disabled; enable it first';
  return new Refusal('conflict', [{ field: 'id', code: 'webhook_disabled', message }], `The webhook ${message}.`);
}
