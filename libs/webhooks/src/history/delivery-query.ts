import { EVENT_TYPES, lowestIdAt, visibleDomains, type Visibility } from '#libs/contracts';
import { RESEND_ONLY_EVENTS } from '../fan-out/payload-format.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../webhook-event.resource.js';

/** Selects deliveries of one endpoint. `createdAfter` is inclusive, `createdBefore` exclusive. */
export interface DeliveryFilter {
  status?: DeliveryStatus;
  /** `["*"]` for all. */
  types?: readonly string[];
  createdAfter?: Date;
  createdBefore?: Date;
}

/** One page of deliveries by id, which is their order in time. */
export interface DeliveryQuery {
  visibility: Visibility;
  webhookId: string;
  filter: DeliveryFilter;
  direction: 'newest first' | 'oldest first';
  /** The `dlv_…` after which the page begins. */
  beyond?: string;
  limit: number;
}

/**
 * Condition on row `d` of `webhook_deliveries`: the key sees its event, or it is a test of the endpoint. Null in `$place` for
 * all domains. The mode is part of the text, so that the planner can use the partial index on test events.
 */
export const visibleDeliveries = ({ mode }: Visibility, place: number): string =>
  `($${place}::text[] IS NULL OR d.domain_id = ANY ($${place}) OR d.event_type = 'webhook.test')
   ${mode === 'test' ? 'AND d.test' : ''}`;

const ALL_TYPES = [...EVENT_TYPES, ...RESEND_ONLY_EVENTS];

/**
 * SQL for a page; `columns` refer to the table alias `d`. Times become bounds of ids, so that every filter is one range of
 * an index. A filter by status or type reads one short range per pair of them, so its cost does not depend on how rare
 * the matches are.
 */
export function deliveryQuery(columns: string, page: DeliveryQuery): { text: string; values: unknown[] } {
  const { visibility, webhookId, filter, direction, limit } = page;
  const { low, high } = bounds(page);
  const types = filter.types?.includes('*') ? undefined : filter.types;
  const order = direction === 'newest first' ? 'DESC' : 'ASC';
  const range = `d.webhook_id = $1 AND d.account_id = $2 AND d.id >= $3 AND d.id < $4 AND ${visibleDeliveries(visibility, 6)}`;
  const values = [webhookId, visibility.accountId, low, high, limit, visibleDomains(visibility)];
  if (filter.status === undefined && types === undefined)
    return {
      text: `SELECT ${columns} FROM webhook_deliveries d WHERE ${range} ORDER BY d.id ${order} LIMIT $5`,
      values,
    };
  const statuses = filter.status === undefined ? DELIVERY_STATUSES : [filter.status];
  return {
    text: `SELECT ${columns}
             FROM unnest($7::text[]) AS status (word) CROSS JOIN unnest($8::text[]) AS kind (word)
            CROSS JOIN LATERAL (
              SELECT * FROM webhook_deliveries d
               WHERE ${range} AND d.status = status.word AND d.event_type = kind.word
               ORDER BY d.id ${order} LIMIT $5) d
            ORDER BY d.id ${order} LIMIT $5`,
    values: [...values, [...statuses], [...new Set(types ?? ALL_TYPES)]],
  };
}

function bounds({ filter, direction, beyond }: DeliveryQuery): { low: string; high: string } {
  const { createdAfter, createdBefore } = filter;
  const low = createdAfter === undefined ? '' : lowestIdAt('dlv', createdAfter);
  const high = createdBefore === undefined ? '~' : lowestIdAt('dlv', createdBefore);
  if (beyond === undefined) return { low, high };
  if (direction === 'newest first') return { low, high: beyond < high ? beyond : high };
  // The smallest text after `beyond` in byte order; no id is equal to it.
  const next = `${beyond}0`;
  return { low: next > low ? next : low, high };
}
