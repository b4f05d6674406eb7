import { EVENT_TYPES, lowestIdAt } from '#libs/contracts';
import { RESEND_ONLY_EVENTS } from './webhook-flavour.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from './webhook-event-view.js';

/** Which deliveries of one endpoint; times are half-open. */
export interface DeliveryFilter {
  status?: DeliveryStatus;
  /** `["*"]`: all. */
  types?: readonly string[];
  createdAfter?: Date;
  createdBefore?: Date;
}

/** A walk over deliveries by id, which is by time: beyond `after` exclusive, at most `limit`. */
export interface DeliveryWalk {
  accountId: string;
  webhookId: string;
  filter: DeliveryFilter;
  direction: 'newest first' | 'oldest first';
  /** A `dlv_…`. */
  beyond?: string;
  limit: number;
}

const ALL_TYPES = [...EVENT_TYPES, ...RESEND_ONLY_EVENTS];

/**
 * The query for a walk, `columns` of table `d`. Times become bounds of ids, so that every filter is one range of an
 * index. A filter by status or kind is read as one short range per pair of them, which holds however rare it is.
 */
export function deliveryQuery(columns: string, walk: DeliveryWalk): { text: string; values: unknown[] } {
  const { accountId, webhookId, filter, direction, limit } = walk;
  const { low, high } = bounds(walk);
  const types = filter.types?.includes('*') ? undefined : filter.types;
  const order = direction === 'newest first' ? 'DESC' : 'ASC';
  const range = `d.webhook_id = $1 AND d.account_id = $2 AND d.id >= $3 AND d.id < $4`;
  const values = [webhookId, accountId, low, high, limit];
  if (filter.status === undefined && types === undefined)
    return {
      text: `SELECT ${columns} FROM webhook_deliveries d WHERE ${range} ORDER BY d.id ${order} LIMIT $5`,
      values,
    };
  const statuses = filter.status === undefined ? DELIVERY_STATUSES : [filter.status];
  return {
    text: `SELECT ${columns}
             FROM unnest($6::text[]) AS status (word) CROSS JOIN unnest($7::text[]) AS kind (word)
            CROSS JOIN LATERAL (
              SELECT * FROM webhook_deliveries d
               WHERE ${range} AND d.status = status.word AND d.event_type = kind.word
               ORDER BY d.id ${order} LIMIT $5) d
            ORDER BY d.id ${order} LIMIT $5`,
    values: [...values, [...statuses], [...new Set(types ?? ALL_TYPES)]],
  };
}

function bounds({ filter, direction, beyond }: DeliveryWalk): { low: string; high: string } {
  const { createdAfter, createdBefore } = filter;
  const low = createdAfter === undefined ? '' : lowestIdAt('dlv', createdAfter);
  const high = createdBefore === undefined ? '~' : lowestIdAt('dlv', createdBefore);
  if (beyond === undefined) return { low, high };
  if (direction === 'newest first') return { low, high: beyond < high ? beyond : high };
  // The next text in byte order that no id can be: everything after `beyond`, itself excluded.
  const next = `${beyond}0`;
  return { low: next > low ? next : low, high };
}
