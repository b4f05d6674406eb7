import type { Destination } from '../routing/route.js';
import type { Deferred, Outcome } from '../delivery-outcome.js';
import { signalsOf } from './outcome-signals.js';
import { Throttle } from './throttle.js';
import { ThrottledQueues, type ThrottledQueue } from './throttled-queues.js';
import { causeOf, combinedFactor, type Cause, type Penalty } from './penalty.js';
import { readThrottlingPlan } from './plan/read-throttling-plan.js';
import { Penalties } from './penalties.js';
import type { SharedThrottlingState, ThrottlingState } from './shared-state.js';
import type { Automation, ThrottlingPlan } from './plan/throttling-plan.js';
import {
  Throttling,
  type Admission,
  type Deferral,
  type ThrottlePermit,
  type Sender,
  type ThrottleWaitKind,
} from './throttling.js';
import { SourcePools, type Sources } from './source-pools.js';
import { waitReason } from './wait-reason.js';
import type { WarmUp } from './warm-up.js';
import { databaseClock } from '#libs/kernel';

export interface ThrottlingOptions {
  plan: ThrottlingPlan;
  /** Concurrent jobs per domain, or for the smarthost. */
  connectionsPerHost: number;
  /** Milliseconds since 1970. */
  now?: () => number;
  shared?: SharedThrottlingState;
  /** Logs the beginning and the end of a suspension or slow-down. */
  log?: (event: object) => void;
}

/** How long a job without a free slot waits if the end of the wait is unknown. */
const DEFAULT_WAIT_MS = 2_000;

/**
 * Limits per queue and source address; see docs/delivery.md. In memory and without timers: changes by time are computed
 * on each call.
 */
export class ProviderThrottling extends Throttling {
  private readonly now: () => number;
  private readonly pools: SourcePools;
  private readonly queues: ThrottledQueues;
  private readonly allPenalties: Penalties;
  private workers = 1;

  constructor(private readonly options: ThrottlingOptions) {
    super();
    this.now = options.now ?? (() => databaseClock.now());
    this.pools = new SourcePools(options.plan);
    this.queues = new ThrottledQueues({ ...options, shared: options.shared ?? null });
    this.allPenalties = new Penalties(options);
  }

  override availableSlots(destination: Destination): number {
    if (destination.queue === 'capture') return Number.MAX_SAFE_INTEGER;
    const now = this.now();
    const queue = this.queues.get(destination.queue, now);
    let slots = 0;
    for (const source of this.pools.all(destination.queue)) {
      const throttle = queue.throttle(source, now);
      const free = throttle.availableSlots(now, this.workers);
      slots +=
        free === 0 || throttle.settings.warmUp === null
          ? free
          : Math.min(free, throttle.settings.warmUp.available(now));
    }
    return slots;
  }

  override admit(destination: Destination, sender: Sender): Admission {
    if (destination.queue === 'capture') return { kind: 'go', permit: UNLIMITED_PERMIT };
    const now = this.now();
    const queue = this.queues.get(destination.queue, now);
    const sources = this.pools.of(destination.queue, sender);
    const throttle = this.findOpen(queue, sources, { sender, now });
    if (throttle !== null) return { kind: 'go', permit: this.permit(throttle, sender, now) };
    return { kind: 'wait', ...this.firstFree(queue, sources, now) };
  }

  override deferral(destination: Destination, sender?: Sender): Deferral | null {
    if (this.availableSlots(destination) > 0) return null;
    const now = this.now();
    const { queue } = destination;
    const sources = sender === undefined ? this.pools.all(queue) : this.pools.of(queue, sender);
    return this.firstFree(this.queues.get(queue, now), sources, now);
  }

  /**
   * Merges the penalties of other processes, and how many of them deliver. Call it about once a second. Returns the
   * queues of which a penalty was ended early.
   */
  merge({ states, workers }: { states: readonly ThrottlingState[]; workers: number }): { lifted: string[] } {
    const now = this.now();
    this.workers = Math.max(1, workers);
    const lifted = new Set<string>();
    for (const state of states) {
      const source = this.pools.find(state.source);
      if (source === undefined) continue;
      if (this.allPenalties.merge(this.queues.get(state.queue, now).throttle(source, now), state, now))
        lifted.add(state.queue);
    }
    this.allPenalties.logEnded(now);
    return { lifted: [...lifted] };
  }

  /** Number of queues in memory. */
  get known(): number {
    return this.queues.size;
  }

  /** The active penalties. */
  penalties(): { queue: string; source: string | null; penalty: Penalty }[] {
    this.allPenalties.logEnded(this.now());
    return this.allPenalties.active();
  }

  /**
   * The throttle for the next job; null: none has a free slot. A source in its warm-up comes first, as long as its
   * daily limit allows; the other sources of the pool take the rest in turn.
   */
  private findOpen(
    queue: ThrottledQueue,
    sources: Sources,
    { sender, now }: { sender: Sender; now: number },
  ): Throttle | null {
    let open: Throttle | null = null;
    const from = queue.nextSource;
    if (sources.length > 1) queue.nextSource = (from + 1) % sources.length;
    for (let i = 0; i < sources.length; i += 1) {
      const throttle = queue.throttle(sources[(from + i) % sources.length], now);
      if (throttle.availableSlots(now, this.workers) === 0) continue;
      const { warmUp } = throttle.settings;
      if (warmUp === null || warmUp.isWarm(now)) open ??= throttle;
      else if (isAvailable(warmUp, sender.recipients, now)) return throttle;
    }
    return open;
  }

  private permit(throttle: Throttle, sender: Sender, now: number): ThrottlePermit {
    const serial = throttle.start(now);
    const { warmUp } = throttle.settings;
    warmUp?.spend(warmUp.cost(sender.recipients));
    let open = true;
    return {
      source: throttle.settings.source,
      release: (outcomes) => {
        if (!open) return;
        open = false;
        this.finish({ throttle, serial, startedAt: now, recipients: sender.recipients }, outcomes);
      },
    };
  }

  private finish(job: StartedJob, outcomes: readonly Outcome[]): void {
    const { throttle, serial } = job;
    const now = this.now();
    // Before anything new begins, so that each end is logged even if nothing was called in between.
    this.allPenalties.logEndedOf(throttle, now);
    const signals = signalsOf(outcomes, this.queues.plan(throttle.settings.queue).automations);
    throttle.finish(signals.idle);
    if (signals.delivered) throttle.onSuccess();
    if (signals.troubled) throttle.onTrouble(serial);
    this.recordWarmUp(job, { idle: signals.idle, deferred: signals.deferred, now });
    if (signals.automation !== null)
      this.applyAutomation(throttle, { ...signals.automation, cause: causeOf(signals.automation), serial, now });
  }

  private recordWarmUp(
    { throttle, startedAt, recipients }: StartedJob,
    { idle, deferred, now }: { idle: boolean; deferred: Deferred | null; now: number },
  ): void {
    const { warmUp } = throttle.settings;
    if (warmUp === null || warmUp.isWarm(now)) return;
    if (idle) return warmUp.refund(warmUp.cost(recipients), startedAt);
    if (!warmUp.record(deferred !== null) || deferred === null) return;
    const cause = causeOf({ rule: { id: 'warm-up-deferrals', blockList: null }, remoteReply: deferred });
    this.allPenalties.start(throttle, { kind: 'warm_up', cause, at: now, until: now + warmUp.plan.pauseMs, own: true });
  }

  private applyAutomation(
    throttle: Throttle,
    { rule, cause, serial, now }: { rule: Automation; cause: Cause; serial: number; now: number },
  ): void {
    const { action } = rule;
    switch (action.kind) {
      case 'suspend':
        if (throttle.isNewSignal('suspended', serial))
          this.allPenalties.start(throttle, {
            kind: 'suspended',
            cause,
            at: now,
            until: now + action.forMs,
            own: true,
          });
        return;
      case 'slow_down':
        if (throttle.isNewSignal('slow_down', serial)) {
          const factor = combinedFactor(throttle.slowDown, action.factor, now);
          this.allPenalties.start(throttle, {
            kind: 'slow_down',
            cause,
            at: now,
            until: now + action.forMs,
            own: true,
            factor,
          });
        }
        return;
      case 'ignore':
    }
  }

  /** Of several sources, the one that is free first. */
  private firstFree(queue: ThrottledQueue, sources: Sources, now: number): Deferral {
    const [first, ...others] = sources.map((source) => this.deferralBy(queue.throttle(source, now), now));
    const next = others.reduce((soonest, one) => (one.until < soonest.until ? one : soonest), first);
    const facts = { now, workers: this.workers };
    return { until: new Date(next.until), reason: waitReason(next.throttle, next.kind, facts) };
  }

  private deferralBy(throttle: Throttle, now: number): { throttle: Throttle; kind: ThrottleWaitKind; until: number } {
    const { suspension, slowDown } = throttle;
    if (suspension !== null && now < suspension.until)
      return { throttle, kind: suspension.kind, until: suspension.until };
    const turn = throttle.nextAt(now, this.workers);
    const slowed = slowDown !== null && throttle.isSlowed(now);
    if (turn > now) return { throttle, kind: slowed ? 'slow_down' : 'rate', until: turn };
    if (throttle.availableSlots(now, this.workers) === 0)
      return { throttle, kind: slowed ? 'slow_down' : 'concurrency', until: now + DEFAULT_WAIT_MS };
    return { throttle, kind: 'warm_up', until: throttle.settings.warmUp?.nextAt(now) ?? now + DEFAULT_WAIT_MS };
  }
}

/** With the given plan, or with the shipped one. */
export function createThrottling(
  options: Omit<ThrottlingOptions, 'plan'> & Partial<Pick<ThrottlingOptions, 'plan'>>,
): ProviderThrottling {
  return new ProviderThrottling({ ...options, plan: options.plan ?? readThrottlingPlan({ heloName: '' }) });
}

interface StartedJob {
  throttle: Throttle;
  serial: number;
  startedAt: number;
  recipients: number;
}

function isAvailable(warmUp: WarmUp, recipients: number, now: number): boolean {
  const cost = warmUp.cost(recipients);
  return warmUp.available(now, cost) >= cost;
}

const UNLIMITED_PERMIT: ThrottlePermit = Object.freeze({ source: null, release: () => undefined });
