import { Injectable } from '@nestjs/common';
import { Database } from '#libs/persistence';

const RETENTION = `interval '30 days'`;
const BATCH_SIZE = 1000;

/** Deletes deliveries and their attempts after thirty days. */
@Injectable()
export class WebhookRetention {
  constructor(private readonly database: Database) {}

  /** Works in small transactions, so that it blocks nothing; several programs may run it at once. Returns the number of deleted deliveries. */
  async prune(): Promise<number> {
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
