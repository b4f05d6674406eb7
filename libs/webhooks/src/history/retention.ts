import { Injectable } from '@nestjs/common';
import { lowestIdAt } from '#libs/contracts';
import { Config, databaseClock } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { deletePendingOfRemoved } from './removed-endpoints.js';

const BATCH_SIZE = 1000;

/**
 * Deletes deliveries, their attempts and replays after RETENTION_WEBHOOK_DELIVERIES, hourly figures after two days, and pending
 * deliveries of removed endpoints.
 */
@Injectable()
export class WebhookRetention {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** Deletes what waits for endpoints that were removed, whatever the time. */
  pruneRemoved(): Promise<void> {
    return deletePendingOfRemoved(this.database);
  }

  /** Works in small transactions, so that it blocks nothing; several programs may run it at once. Returns the number of deleted deliveries. */
  async prune(): Promise<number> {
    const seconds = this.config.settings.RETENTION_WEBHOOK_DELIVERIES / 1_000;
    await this.database.query(PRUNE_REPLAYS, [seconds]);
    for (const text of PRUNE_REST) await this.database.query(text);
    await this.pruneRemoved();
    const removed = await this.inBatches(PRUNE, seconds);
    await this.inBatches(PRUNE_ATTEMPTS, lowestIdAt('atm', new Date(databaseClock.now() - seconds * 1_000)));
    return removed;
  }

  private async inBatches(text: string, limit: number | string): Promise<number> {
    for (let removed = 0; ;) {
      const { rowCount } = await this.database.query(text, [BATCH_SIZE, limit]);
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

/** Of deliveries that were deleted before their time, in versions that left the attempts. */
const PRUNE_ATTEMPTS = `
  DELETE FROM webhook_attempts WHERE id IN (
    SELECT a.id FROM webhook_attempts a
     WHERE a.id < $2 AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.id = a.delivery_id)
     ORDER BY a.id LIMIT $1 FOR UPDATE SKIP LOCKED)`;

const PRUNE_REPLAYS = `
  DELETE FROM webhook_replays WHERE status <> 'running' AND updated_at < now() - make_interval(secs => $1)`;

const PRUNE_REST = [
  `DELETE FROM webhook_hours WHERE hour < now() - interval '2 days'`,
  // Written while the endpoint was being removed.
  'DELETE FROM webhook_windows p WHERE NOT EXISTS (SELECT FROM webhooks w WHERE w.id = p.webhook_id)',
];
