/** Counts of recipients of one sending domain in the half-open window [from, to). */
export interface DomainStats {
  domainId: string;
  from: Date;
  to: Date;
  accepted: number;
  sent: number;
  delivered: number;
  deferred: number;
  bounced: number;
  failed: number;
  complained: number;
  suppressed: number;
  opened: number;
  clicked: number;
}
export const STATS_COUNTERS = [
  'accepted',
  'sent',
  'delivered',
  'deferred',
  'bounced',
  'failed',
  'complained',
  'suppressed',
  'opened',
  'clicked',
] as const;
export type StatsCounter = (typeof STATS_COUNTERS)[number];
