import { Injectable } from '@nestjs/common';
import { Database } from '#libs/persistence';

const RETENTION = `interval '30 days'`;
const BATCH_SIZE = 1000;

/** Deletes deliveries, their attempts and replays after thirty days, and hourly figures after two. */
@Injectable()
export class WebhookRetention {
  constructor(private readonly database: Database) {}

  /** Works in small transactions, so that it blocks nothing; several programs may run it at once. Returns the number of deleted deliveries. */
  async prune(): Promise<number> {
    for (const text of PRUNE_REST) await this.database.query(text);
    for (let removed = 0; ;) {
      const { rowCount } = await this.database.query(PRUNE, [BATCH_SIZE]);
      removed += rowCount;
      if (rowCount < BATCH_SIZE) return removed;
    }
  }
}

const PRUNE = `
  WITH old AS (
    SELECT id FROM webhook_deliveries
     WHERE created_at < now() - ${RETENTION} AND claimed_by IS NULL
     ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED),
  attempts AS (DELETE FROM webhook_attempts a USING old WHERE a.delivery_id = old.id)
  DELETE FROM webhook_deliveries d USING old WHERE d.id = old.id`;

const PRUNE_REST = [
  `DELETE FROM webhook_hours WHERE hour < now() - interval '2 days'`,
  `DELETE FROM webhook_replays WHERE status <> 'running' AND updated_at < now() - ${RETENTION}`,
  // Written while the endpoint was being removed.
  'DELETE FROM webhook_windows p WHERE NOT EXISTS (SELECT FROM webhooks w WHERE w.id = p.webhook_id)',
];
