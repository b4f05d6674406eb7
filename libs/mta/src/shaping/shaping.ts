import type { Destination, SourceAddress } from '../courier.js';
import type { Outcome } from '../delivery-outcome.js';

/**
 * `concurrency`: as many as allowed are on their way; `rate`: as many as allowed went out lately; `slow_down`,
 * `suspended`: the words of a server caused it; `warm_up`: a new source address has had its share of today.
 */
export type PaceWait = 'concurrency' | 'rate' | 'slow_down' | 'suspended' | 'warm_up';

/** `dns`: none of our name servers answers. */
export type WaitKind = PaceWait | 'dns';

/** Why mail of a queue waits although it is due; kept with the recipient (`recipients.wait`) and shown by /explain. */
export interface WaitReason {
  kind: WaitKind;
  queue: string;
  source: string | null;
  /** A sentence for people. */
  text: string;
  /** What a server said that caused it, code first; null where no server did. */
  words: string | null;
  mx: string | null;
}

/** The right to begin one job now. */
export interface Pass {
  /** The address to speak from; null: the system's choice. */
  source: SourceAddress | null;
  /** Must be called exactly once, also for what was abandoned: gives the place back and learns from the replies. */
  done(outcomes: readonly Outcome[]): void;
}

/** Nothing may begin before `until`, because of `reason`. */
export interface Obstacle {
  until: Date;
  reason: WaitReason;
}

export type Admission = { kind: 'go'; pass: Pass } | ({ kind: 'wait' } & Obstacle);

/** What a mail brings with it for the choice of a source address. */
export interface Sender {
  /** Name of the sending domain, lower-case A-labels. */
  domain: string;
  tags: Readonly<Record<string, string>>;
  /** Recipients of the job. */
  recipients: number;
}

/** Decides when mail may go to a queue, and from which of our addresses. In memory; asked for every job. */
export abstract class Shaping {
  /** How many jobs may begin now in this queue; 0: closed or full. Never more than what may be in flight there. */
  abstract room(destination: Destination): number;

  abstract admit(destination: Destination, sender: Sender): Admission;

  /**
   * What is in the way of this sender's mail, or, without a sender, of everybody's: of several source addresses the one
   * that is free first counts. Null while something may begin in the queue.
   */
  abstract obstacle(destination: Destination, sender?: Sender): Obstacle | null;
}
