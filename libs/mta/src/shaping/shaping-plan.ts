import type { SourceAddress } from '../source-address.js';
import type { BounceClass, DeliveryPhase } from '../delivery-outcome.js';

/** How fast mail may go to one queue from one source address. Null: without limit. */
export interface Pace {
  connections: number | null;
  mailsPerConnection: number | null;
  perMinute: number | null;
  perHour: number | null;
}

/** What follows when a reply matches all that is given. */
export interface Automation {
  /** Unique among those that a queue is judged by; named in logs, metrics and explanations. */
  id: string;
  codes: ReadonlySet<number> | null;
  enhanced: ReadonlySet<string> | null;
  phases: ReadonlySet<DeliveryPhase> | null;
  words: RegExp | null;
  classes: ReadonlySet<BounceClass> | null;
  action: AutomationAction;
}

/** `slow_down`: connections and rate times `factor`; `suspend`: nothing at all; both until `forMs` later. */
export type AutomationAction =
  { kind: 'ignore' } | { kind: 'slow_down'; factor: number; forMs: number } | { kind: 'suspend'; forMs: number };

export interface ProviderPlan {
  name: string;
  /** Suffixes of its MX names, lower case. */
  mx: readonly string[];
  pace: Pace;
  /** The provider's own first, then those for everybody; the first match acts. */
  automations: readonly Automation[];
}

/** Recipients per day from one new address to one provider: `firstDay`, then times `factor` each day up to `until`. */
export interface WarmUpCurve {
  firstDay: number;
  factor: number;
  /** The daily number at which the address counts as warm and is limited no more. */
  until: number;
}

export interface WarmUpPlan {
  /** The first day (UTC), in milliseconds since 1970. */
  startedAt: number;
  curve: WarmUpCurve;
  /** Other curves for single providers; `other` stands for everybody without a name. */
  providers: ReadonlyMap<string, WarmUpCurve>;
  /** Pause when more than this share of the latest attempts was deferred by the provider. */
  pauseAbove: number;
  pauseMs: number;
}

/** Addresses of ours that send the same kind of mail. */
export interface SourcePool {
  name: string;
  sources: readonly SourceAddress[];
}

/** Which mail goes out by a pool; the first rule that fits decides. */
export interface PoolRule {
  /** Name of the sending domain; null: any. */
  domain: string | null;
  tag: { key: string; value: string } | null;
  pool: string;
}

/** All that shaping goes by: the shipped file, and the operator's over it. */
export interface ShapingPlan {
  providers: ReadonlyMap<string, ProviderPlan>;
  /** For whoever is none of the providers. */
  others: ProviderPlan;
  /** Empty: the system chooses the address. The first pool serves what no rule names. */
  pools: readonly SourcePool[];
  rules: readonly PoolRule[];
  /** By source address. */
  warmUps: ReadonlyMap<string, WarmUpPlan>;
}
