import type { Deferral, WaitReason } from '#libs/mta';
import type { DestinationQueue } from './destination-queue.js';
import { databaseClock } from '#libs/kernel';

/** A job that has to wait for longer is requeued. */
export const SHORT_WAIT_MS = 2_000;
/** A requeued job is due again after this long. */
const REQUEUE_MS = 5_000;
const SOONEST_MS = 5_000;
const LATEST_MS = 15_000;

/** When a job is due again, and why it waits. */
export interface Delay {
  until: Date | null;
  reason: WaitReason | null;
}

/** The job stays due as it was. */
export const UNCHANGED: Delay = { until: null, reason: null };

export const shortly = (reason: WaitReason | null): Delay => ({
  until: new Date(databaseClock.now() + REQUEUE_MS),
  reason,
});

export const isShort = ({ reason, until }: Deferral): boolean =>
  reason.kind === 'concurrency' || until.getTime() - databaseClock.now() <= SHORT_WAIT_MS;

/**
 * The delay of a job while no name server answers: some seconds, spread so that jobs do not return at the same moment.
 */
export function dnsOutageDelay(queue: string, outage: string): Deferral {
  return {
    until: new Date(databaseClock.now() + SOONEST_MS + Math.random() * (LATEST_MS - SOONEST_MS)),
    reason: { kind: 'dns', queue, source: null, text: outage, words: null, mx: null },
  };
}

/** Messages of several domains on one host share its connections. */
export function connectionsInUse(queue: string, mx: string): WaitReason {
  const text = `As many connections as one mail server may have at once are in use at ${mx}.`;
  return { kind: 'concurrency', queue, source: null, text, words: null, mx };
}

export function unsettledLimitReached(queue: DestinationQueue): WaitReason {
  return {
    kind: 'concurrency',
    queue: queue.name,
    source: null,
    text: 'As many deliveries as may be at once are in progress there.',
    words: null,
    mx: null,
  };
}
