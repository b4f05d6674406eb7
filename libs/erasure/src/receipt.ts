import type { Config } from '#libs/kernel';

/** The stores of an erasure and how many of their rows contained the address. */
export const COUNTED = [
  'messages',
  'recipients',
  'bodies',
  'captured_messages',
  'attempts',
  'suppressions',
  'audit_entries',
  'stored_answers',
  'events',
  'webhook_deliveries',
  'inbound_reports',
  'statistics_rows',
] as const;
export type Counted = (typeof COUNTED)[number];

export const ELSEWHERE = ['kafka', 'webhook_endpoints', 'backups'] as const;

/** A place that the service cannot erase. */
export interface ElsewhereView {
  place: (typeof ELSEWHERE)[number];
  /** ISO 8601; null: the service does not know. */
  expires_at: string | null;
  note: string;
}

/** What was erased, and where the address may still be. */
export interface ErasureReceipt {
  /** The text that stands in place of the address. */
  erased_as: string;
  requested_at: string;
  finished_at: string | null;
  erased: Record<Counted, number>;
  /** Messages that still wait for delivery to other recipients; they are erased when that has ended. */
  waiting_messages: number;
  elsewhere: ElsewhereView[];
}

export interface ReceiptFacts {
  erased_as: string;
  counts: Partial<Record<Counted, number>>;
  waiting: number;
  created_at: Date;
  finished_at: Date | null;
}

export function erasureReceipt(facts: ReceiptFacts, settings: Config['settings']): ErasureReceipt {
  const counts = COUNTED.map((name) => [name, facts.counts[name] ?? 0] as const);
  return {
    erased_as: facts.erased_as,
    requested_at: facts.created_at.toISOString(),
    finished_at: facts.finished_at?.toISOString() ?? null,
    erased: Object.fromEntries(counts) as Record<Counted, number>,
    waiting_messages: facts.waiting,
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
