import { queueNames } from '#libs/contracts';
import type { SourceAddress } from '../routing/mx-endpoint.js';
import { Throttle } from './throttle.js';
import type { SharedThrottlingState } from './shared-state.js';
import type { ProviderPlan, ThrottlingPlan } from './plan/throttling-plan.js';
import { WarmUp } from './warm-up.js';

/** A queue that was not used for so long is dropped, and starts slowly again. */
const IDLE_MS = 600_000;
const MAX_QUEUES = 100_000;
/** Old queues that are checked per new queue: more than one, so that more are dropped than added. */
const CHECKED_PER_NEW_QUEUE = 4;

/** A queue with its throttles, one per source address. */
export class ThrottledQueue {
  /** Index of the source that is checked first for the next job. */
  nextSource = 0;
  private readonly throttles = new Map<SourceAddress | null, Throttle>();

  constructor(private readonly make: (source: SourceAddress | null, now: number) => Throttle) {}

  throttle(source: SourceAddress | null, now: number): Throttle {
    let throttle = this.throttles.get(source);
    if (throttle === undefined) {
      throttle = this.make(source, now);
      throttle.usedAt = now;
      this.throttles.set(source, throttle);
    }
    return throttle;
  }

  isIdle(now: number): boolean {
    for (const throttle of this.throttles.values()) if (!throttle.isIdle(now, IDLE_MS)) return false;
    return true;
  }

  get isBusy(): boolean {
    for (const throttle of this.throttles.values()) if (throttle.inFlight > 0) return true;
    return false;
  }
}

/** All queues in recent use. Bounded: idle ones are dropped when new ones are added, so no timer is needed. */
export class ThrottledQueues {
  private readonly queues = new Map<string, ThrottledQueue>();
  private nextChecked = this.queues.entries();
  private readonly warmUps = new Map<string, WarmUp>();

  constructor(
    private readonly options: {
      plan: ThrottlingPlan;
      connectionsPerHost: number;
      shared: SharedThrottlingState | null;
    },
  ) {}

  get size(): number {
    return this.queues.size;
  }

  get(name: string, now: number): ThrottledQueue {
    let queue = this.queues.get(name);
    if (queue === undefined) {
      this.dropSome(now);
      queue = new ThrottledQueue((source, at) => this.makeThrottle(name, source, at));
      this.queues.set(name, queue);
    }
    return queue;
  }

  /** The provider with the name of the queue, or the settings for all others. */
  plan(name: string): ProviderPlan {
    return this.options.plan.providers.get(queueNames.penaltyQueue.ordinary(name)) ?? this.options.plan.others;
  }

  /** Checks the next few queues, and starts again at the first one after the last one. */
  private dropSome(now: number): void {
    for (let checked = 0; checked < CHECKED_PER_NEW_QUEUE; checked += 1) {
      const { value, done } = this.nextChecked.next();
      if (done === true) {
        this.nextChecked = this.queues.entries();
        return;
      }
      const [name, queue] = value;
      const isFull = this.queues.size >= MAX_QUEUES && !queue.isBusy;
      if (isFull || queue.isIdle(now)) this.queues.delete(name);
    }
  }

  private makeThrottle(name: string, source: SourceAddress | null, now: number): Throttle {
    const { connectionsPerHost, plan } = this.options;
    const { limits } = this.plan(name);
    const destination = queueNames.penaltyQueue.ordinary(name);
    const isShared = plan.providers.has(destination);
    const isSmarthost = destination === 'smarthost';
    return new Throttle(
      {
        queue: name,
        source,
        limits: isSmarthost ? UNLIMITED : limits,
        maxConcurrent: (isSmarthost ? null : limits.connections) ?? connectionsPerHost,
        slowStart: !isSmarthost,
        isShared,
        warmUp: isSmarthost || source === null ? null : this.warmUp(source.address, isShared ? destination : 'other'),
      },
      now,
    );
  }

  private warmUp(address: string, provider: string): WarmUp | null {
    const plan = this.options.plan.warmUps.get(address);
    if (plan === undefined) return null;
    const key = `${address} ${provider}`;
    let warmUp = this.warmUps.get(key);
    if (warmUp === undefined) {
      warmUp = new WarmUp(plan, { source: address, provider }, this.options.shared);
      this.warmUps.set(key, warmUp);
    }
    return warmUp;
  }
}

const UNLIMITED = { connections: null, mailsPerConnection: null, perMinute: null, perHour: null };
