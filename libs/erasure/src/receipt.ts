import type { Config } from '#libs/kernel';
import {
  erasureReceipt,
  type Counted,
  type ElsewhereView,
  type ErasureReceipt,
  type ErasureRow,
} from './erasure.resource.js';

const STORES = erasureReceipt.fields.erased.schema.required as readonly Counted[];

export function toReceipt(row: ErasureRow, settings: Config['settings']): ErasureReceipt {
  const counts = STORES.map((name) => [name, row.counts[name] ?? 0] as const);
  return {
    erased_as: row.erased_as,
    requested_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    erased: Object.fromEntries(counts) as ErasureReceipt['erased'],
    waiting_messages: row.waiting,
    elsewhere: elsewhere(settings),
  };
}

function elsewhere(settings: Config['settings']): ElsewhereView[] {
  const places: ElsewhereView[] = [
    {
      place: 'webhook_endpoints',
      expires_at: null,
      note: 'Endpoints of this account have received events with the address. Erase it where they stored it.',
    },
    {
      place: 'backups',
      expires_at: null,
      note: 'Backups of the operator keep the address as long as they are kept.',
    },
  ];
  if (settings.KAFKA_BROKERS !== undefined)
    places.unshift({
      place: 'kafka',
      expires_at: null,
      note: 'Records cannot be changed. They expire by the retention time of the topics, counted from the last event.',
    });
  return places;
}
