import { STATS_COUNTERS } from '#libs/contracts';

/** Every way in which an event counts: those of a domain's statistics, and two more. */
export const EVENT_COUNTERS = [...STATS_COUNTERS, 'canceled', 'unsubscribed'] as const;
export type EventCounter = (typeof EVENT_COUNTERS)[number];
