import { Injectable } from '@nestjs/common';
import { Config } from '#libs/kernel';
import { Database } from '#libs/persistence';

const BATCH_SIZE = 1000;

/** Deletes deliveries and their attempts after RETENTION_WEBHOOK_DELIVERIES. */
@Injectable()
export class WebhookRetention {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** Works in small transactions, so that it blocks nothing; several programs may run it at once. Returns the number of deleted deliveries. */
  async prune(): Promise<number> {
    const seconds = this.config.settings.RETENTION_WEBHOOK_DELIVERIES / 1_000;
    for (let removed = 0; ;) {
      const { rowCount } = await this.database.query(PRUNE, [BATCH_SIZE, seconds]);
      removed += rowCount;
      if (rowCount < BATCH_SIZE) return removed;
    }
  }
}

const PRUNE = `
  WITH old AS (
    SELECT id FROM webhook_deliveries
     WHERE created_at < now() - make_interval(secs => $2) AND claimed_by IS NULL
     ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED),
  attempts AS (DELETE FROM webhook_attempts a USING old WHERE a.delivery_id = old.id)
  DELETE FROM webhook_deliveries d USING old WHERE d.id = old.id`;
