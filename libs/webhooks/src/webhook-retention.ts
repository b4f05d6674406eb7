import { Injectable } from '@nestjs/common';
import { Database } from '#libs/persistence';

/** How long the log of deliveries goes back (D-39). */
const KEPT = `interval '30 days'`;
const AT_ONCE = 1000;

/** Ends the log of deliveries after thirty days. */
@Injectable()
export class WebhookRetention {
  constructor(private readonly database: Database) {}

  /** In small transactions, so that nobody waits for it; several programs may do it at once. Returns how many went. */
  async prune(): Promise<number> {
    for (let removed = 0; ;) {
      const { rowCount } = await this.database.query(PRUNE, [AT_ONCE]);
      removed += rowCount;
      if (rowCount < AT_ONCE) return removed;
    }
  }
}

const PRUNE = `
  WITH old AS (
    SELECT id FROM webhook_deliveries
     WHERE created_at < now() - ${KEPT} AND claimed_by IS NULL
     ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED),
  attempts AS (DELETE FROM webhook_attempts a USING old WHERE a.delivery_id = old.id)
  DELETE FROM webhook_deliveries d USING old WHERE d.id = old.id`;
