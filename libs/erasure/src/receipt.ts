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
  'events',
  'webhook_deliveries',
  'inbound_reports',
  'statistics_rows',
] as const;
export type Counted = (typeof COUNTED)[number];

export const ELSEWHERE = ['kafka', 'webhook_endpoints', 'idempotency_keys', 'backups'] as const;

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

const DAY_MS = 86_400_000;

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
    elsewhere: elsewhere(facts, settings),
  };
}

function elsewhere({ created_at, finished_at }: ReceiptFacts, settings: Config['settings']): ElsewhereView[] {
  const places: ElsewhereView[] = [
    {
      place: 'webhook_endpoints',
      expires_at: null,
      note: 'Endpoints of this account have received events with the address. Erase it where they stored it.',
    },
    {
      place: 'idempotency_keys',
      expires_at: new Date((finished_at ?? created_at).getTime() + DAY_MS).toISOString(),
      note: 'A stored answer to a batch may name a refused address. Answers are deleted after 24 hours.',
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
