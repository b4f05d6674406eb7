import { Injectable } from '@nestjs/common';
import { Database } from '#libs/persistence';
import { OLDEST_DUE_OF } from '../delivery/claim.js';
import { WINDOW } from '../delivery/window.js';
import { PENDING_LIMIT, type DeliveryFigures } from '../webhook.resource.js';

interface FiguresRow {
  lag: number;
  pending: number;
  in_flight: number;
  size: number;
  paused_until: Date | null;
  delivered: number;
  failed_attempts: number;
  given_up: number;
  responses: number;
  latency_ms: number;
  latency_ms_max: number;
}

@Injectable()
export class WebhookFigures {
  constructor(private readonly database: Database) {}

  /** Of an endpoint that the caller may see. */
  async of(webhookId: string): Promise<DeliveryFigures> {
    const { rows } = await this.database.query<FiguresRow>({
      name: 'webhooks-figures',
      text: FIGURES,
      values: [webhookId],
    });
    const [row] = rows;
    const attempts = row.delivered + row.failed_attempts;
    const hasResponse = row.responses > 0;
    return {
      lag_seconds: Math.round(row.lag * 10) / 10,
      pending: row.pending,
      in_flight: row.in_flight,
      window: row.size,
      paused_until: row.paused_until?.toISOString() ?? null,
      last_24_hours: {
        delivered: row.delivered,
        failed_attempts: row.failed_attempts,
        failed: row.given_up,
        success_rate: attempts === 0 ? null : Math.round((row.delivered / attempts) * 10_000) / 10_000,
        average_latency_ms: hasResponse ? Math.round(row.latency_ms / row.responses) : null,
        max_latency_ms: hasResponse ? row.latency_ms_max : null,
      },
    };
  }
}

const FIGURES = `
  SELECT coalesce(greatest(0, extract(epoch FROM now() - (${OLDEST_DUE_OF}))), 0)::float AS lag,
         (SELECT count(*)::int FROM (
            SELECT FROM webhook_deliveries WHERE webhook_id = $1 AND status = 'pending' LIMIT ${PENDING_LIMIT}) AS p) AS pending,
         (SELECT count(*)::int FROM webhook_deliveries
           WHERE webhook_id = $1 AND claimed_by IS NOT NULL) AS in_flight,
         coalesce((SELECT size FROM webhook_windows WHERE webhook_id = $1), ${WINDOW.minimum})::int AS size,
         (SELECT paused_until FROM webhook_windows WHERE webhook_id = $1 AND paused_until > now()) AS paused_until,
         h.*
    FROM (
      SELECT coalesce(sum(delivered), 0)::int AS delivered, coalesce(sum(failed_attempts), 0)::int AS failed_attempts,
             coalesce(sum(given_up), 0)::int AS given_up, coalesce(sum(responses), 0)::int AS responses,
             coalesce(sum(latency_ms), 0)::float AS latency_ms, coalesce(max(latency_ms_max), 0) AS latency_ms_max
        FROM webhook_hours
       WHERE webhook_id = $1 AND hour >= date_trunc('hour', now(), 'UTC') - interval '23 hours') AS h`;
