/** What the delivery processes of one installation tell each other about a queue from one of its sources. */
export interface ShapingState {
  queue: string;
  /** Null: the system's choice of address. */
  source: string | null;
  kind: 'suspended' | 'slow_down' | 'warm_up';
  /** Of a slow-down; 1 otherwise, and where it was lifted. */
  factor: number;
  /** Milliseconds since 1970, as all times here. In the past: lifted. */
  until: number;
  /** When it was decided: of two, the later one counts. */
  at: number;
  words: string | null;
  mx: string | null;
  /** Id of the automation. */
  rule: string;
}

/** One day's warm-up of one source at one provider. */
export interface WarmUpDay {
  source: string;
  /** `other` for whoever is none of the providers. */
  provider: string;
  /** `2026-11-21`, in UTC. */
  day: string;
  /** Recipients that all processes together may reach. */
  allowance: number;
}

/** Where delivery processes share what they learnt; without one, each shapes for itself. */
export interface ShapingMemory {
  /** Something was learnt here. Neither throws nor waits; the others may hear of it a little later. */
  tell(state: ShapingState): void;

  /** Takes up to `wanted` recipients of the day for this process; resolves with how many. Rejects while nobody knows. */
  takeWarmUp(day: WarmUpDay, wanted: number): Promise<number>;
}
