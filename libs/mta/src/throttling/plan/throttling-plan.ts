import type { SourceAddress } from '../../routing/mx-endpoint.js';
import type { BounceClass, DeliveryPhase } from '../../delivery-outcome.js';

/** Limits of one queue from one source address. Null: without limit. */
export interface ProviderLimits {
  connections: number | null;
  mailsPerConnection: number | null;
  perMinute: number | null;
  perHour: number | null;
}

/** An action and the replies that trigger it; all conditions that are given must match. */
export interface Automation {
  /** Unique among the automations of a queue; used in logs, metrics and explanations. */
  id: string;
  codes: ReadonlySet<number> | null;
  enhanced: ReadonlySet<string> | null;
  phases: ReadonlySet<DeliveryPhase> | null;
  words: RegExp | null;
  classes: ReadonlySet<BounceClass> | null;
  /** The replies say that our address is on a block list: its name where they name none. Null: they are about something else. */
  blockList: string | null;
  action: AutomationAction;
}

/** `slow_down`: connections and rate times `factor`. `suspend`: nothing is sent. Both for `forMs` milliseconds. */
export type AutomationAction =
  | { kind: 'ignore' }
  | { kind: 'slow_down'; factor: number; forMs: number }
  | { kind: 'suspend'; forMs: number };

export interface ProviderPlan {
  name: string;
  /** Suffixes of its MX names, in lower case. */
  mx: readonly string[];
  limits: ProviderLimits;
  /** Those of the provider first, then those for all providers. The first match acts. */
  automations: readonly Automation[];
}

/** Recipients per day from one new address to one provider: `firstDay`, then times `factor` each day up to `until`. */
export interface WarmUpCurve {
  firstDay: number;
  factor: number;
  /** The daily number at which the address counts as warm and has no limit any more. */
  until: number;
}

export interface WarmUpPlan {
  /** The first day (UTC), in milliseconds since 1970. */
  startedAt: number;
  curve: WarmUpCurve;
  /** Other curves for single providers; `other` stands for all hosts without a known provider. */
  providers: ReadonlyMap<string, WarmUpCurve>;
  /** The warm-up pauses if the provider deferred more than this share of the latest attempts. */
  pauseAbove: number;
  pauseMs: number;
}

/** Source addresses for the same kind of messages. */
export interface SourcePool {
  name: string;
  sources: readonly SourceAddress[];
}

/** Selects a pool; the first rule that matches decides. */
export interface PoolRule {
  /** Name of the sending domain; null: any. */
  domain: string | null;
  tag: { key: string; value: string } | null;
  pool: string;
}

/** All throttling settings: the shipped file, overridden by the operator's. */
export interface ThrottlingPlan {
  providers: ReadonlyMap<string, ProviderPlan>;
  /** For hosts without a known provider. */
  others: ProviderPlan;
  /** Empty: the system chooses the address. The first pool is used if no rule matches. */
  pools: readonly SourcePool[];
  /** The pool that mail of accounts in the penalty pool leaves from, and no other mail; null: there is none. */
  penaltyPool: SourcePool | null;
  rules: readonly PoolRule[];
  /** By source address. */
  warmUps: ReadonlyMap<string, WarmUpPlan>;
}
