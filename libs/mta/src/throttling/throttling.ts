import type { Destination } from '../routing/route.js';
import type { Outcome } from '../delivery-outcome.js';
import type { SourceAddress } from '../routing/mx-endpoint.js';

/**
 * Reasons to wait. `concurrency`: the maximum is in flight. `rate`: the limit per time is reached. `slow_down`,
 * `suspended`: a reply of a server caused it. `warm_up`: a new source address has reached its limit of the day.
 */
export type ThrottleWaitKind = 'concurrency' | 'rate' | 'slow_down' | 'suspended' | 'warm_up';

/** `dns`: no name server answers. */
export type WaitKind = ThrottleWaitKind | 'dns';

/** Why a due message of a queue waits. Stored with the recipient (`recipients.wait_reason`) and shown by /explain. */
export interface WaitReason {
  kind: WaitKind;
  queue: string;
  source: string | null;
  /** A sentence for the user. */
  text: string;
  /** The reply that caused it, code first; null if there is none. */
  words: string | null;
  mx: string | null;
  /** The block list that has the source address, according to the reply; absent if the reply is about something else. */
  blockList?: string;
}

/** The right to start one job now. */
export interface ThrottlePermit {
  /** The source address; null: the system's choice. */
  source: SourceAddress | null;
  /** Must be called exactly once, also for an abandoned job: frees the slot and evaluates the replies. */
  release(outcomes: readonly Outcome[]): void;
}

/** Nothing may begin before `until`, because of `reason`. */
export interface Deferral {
  until: Date;
  reason: WaitReason;
}

export type Admission = { kind: 'go'; permit: ThrottlePermit } | ({ kind: 'wait' } & Deferral);

/** The properties of a message that select its source address. */
export interface Sender {
  /** Name of the sending domain, in lower-case A-labels. */
  domain: string;
  tags: Readonly<Record<string, string>>;
  /** Number of recipients of the job. */
  recipients: number;
}

/** Decides when messages of a queue may be sent, and from which source address. In memory; called for every job. */
export abstract class Throttling {
  /** How many jobs may begin now in this queue; 0: suspended or full. Never more than the maximum in flight. */
  abstract availableSlots(destination: Destination): number;

  abstract admit(destination: Destination, sender: Sender): Admission;

  /**
   * Why messages of this sender (without a sender: of all senders) have to wait. Of several source addresses the one
   * that is free first counts. Null while something may begin in the queue.
   */
  abstract deferral(destination: Destination, sender?: Sender): Deferral | null;
}
