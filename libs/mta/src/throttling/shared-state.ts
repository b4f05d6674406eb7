/** A penalty of one queue from one source, as delivery processes share it. */
export interface ThrottlingState {
  queue: string;
  /** Null: the address is the system's choice. */
  source: string | null;
  kind: 'suspended' | 'slow_down' | 'warm_up';
  /** The factor of a slow-down; 1 for other kinds and for an ended one. */
  factor: number;
  /** In milliseconds since 1970, as all times here. In the past: ended. */
  until: number;
  /** When it was decided. The later decision wins. */
  at: number;
  words: string | null;
  mx: string | null;
  /** Id of the automation. */
  rule: string;
  /** The block list that has the source address, according to the reply; null: the reply is about something else. */
  blockList: string | null;
}

/** One day in the warm-up of one source at one provider. */
export interface WarmUpDay {
  source: string;
  /** `other` for hosts without a known provider. */
  provider: string;
  /** `2026-11-21`, in UTC. */
  day: string;
  /** Limit of recipients for all processes together. */
  allowance: number;
}

/** Shares throttling state between delivery processes. Without it, each process throttles on its own. */
export interface SharedThrottlingState {
  /** Publishes a new state. Neither throws nor waits; other processes may receive it a little later. */
  publish(state: ThrottlingState): void;

  /**
   * Reserves up to `wanted` recipients of the day for this process; resolves with how many. Rejects if the state is
   * unavailable.
   */
  reserveWarmUp(day: WarmUpDay, wanted: number): Promise<number>;
}
