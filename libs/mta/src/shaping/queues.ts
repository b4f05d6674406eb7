import type { SourceAddress } from '../source-address.js';
import { Lane } from './lane.js';
import type { ShapingMemory } from './shaping-memory.js';
import type { ProviderPlan, ShapingPlan } from './shaping-plan.js';
import { WarmUp } from './warm-up.js';

/** After so long without mail a queue is forgotten, and begins slowly again. */
const IDLE_MS = 600_000;
const MOST_QUEUES = 100_000;
/** How many old ones are looked at for each new one: more than one, so that the forgotten outnumber the new. */
const LOOKED_AT = 4;

/** A queue with its lanes, one per source address. */
export class Queue {
  /** Where the next mail begins to look for a source. */
  turn = 0;
  readonly #lanes = new Map<SourceAddress | null, Lane>();

  constructor(private readonly make: (source: SourceAddress | null, now: number) => Lane) {}

  lane(source: SourceAddress | null, now: number): Lane {
    let lane = this.#lanes.get(source);
    if (lane === undefined) {
      lane = this.make(source, now);
      lane.usedAt = now;
      this.#lanes.set(source, lane);
    }
    return lane;
  }

  isIdle(now: number): boolean {
    for (const lane of this.#lanes.values()) if (!lane.isIdle(now, IDLE_MS)) return false;
    return true;
  }

  get isBusy(): boolean {
    for (const lane of this.#lanes.values()) if (lane.inFlight > 0) return true;
    return false;
  }
}

/** All queues that were lately asked for. Bounded: idle ones are forgotten as new ones come, no timer needed. */
export class Queues {
  readonly #queues = new Map<string, Queue>();
  #hand = this.#queues.entries();
  readonly #warmUps = new Map<string, WarmUp>();

  constructor(private readonly of: { plan: ShapingPlan; connectionsPerHost: number; memory: ShapingMemory | null }) {}

  get size(): number {
    return this.#queues.size;
  }

  get(name: string, now: number): Queue {
    let queue = this.#queues.get(name);
    if (queue === undefined) {
      this.#forgetSome(now);
      queue = new Queue((source, at) => this.#lane(name, source, at));
      this.#queues.set(name, queue);
    }
    return queue;
  }

  /** The provider whose name the queue has, or what counts for everybody else. */
  plan(name: string): ProviderPlan {
    return this.of.plan.providers.get(name) ?? this.of.plan.others;
  }

  /** The hand of a clock: goes on where it stopped the last time, round and round. */
  #forgetSome(now: number): void {
    for (let looked = 0; looked < LOOKED_AT; looked += 1) {
      const { value, done } = this.#hand.next();
      if (done === true) {
        this.#hand = this.#queues.entries();
        return;
      }
      const [name, queue] = value;
      const crowded = this.#queues.size >= MOST_QUEUES && !queue.isBusy;
      if (crowded || queue.isIdle(now)) this.#queues.delete(name);
    }
  }

  #lane(name: string, source: SourceAddress | null, now: number): Lane {
    const { connectionsPerHost, plan } = this.of;
    const { pace } = this.plan(name);
    const divided = plan.providers.has(name);
    return new Lane(
      {
        queue: name,
        source,
        pace: name === 'smarthost' ? UNPACED : pace,
        cap: (name === 'smarthost' ? null : pace.connections) ?? connectionsPerHost,
        slowStart: name !== 'smarthost',
        divided,
        warmUp: name === 'smarthost' || source === null ? null : this.#warmUp(source.address, divided ? name : 'other'),
      },
      now,
    );
  }

  #warmUp(address: string, provider: string): WarmUp | null {
    const plan = this.of.plan.warmUps.get(address);
    if (plan === undefined) return null;
    const key = `${address} ${provider}`;
    let warmUp = this.#warmUps.get(key);
    if (warmUp === undefined) {
      warmUp = new WarmUp(plan, { source: address, provider }, this.of.memory);
      this.#warmUps.set(key, warmUp);
    }
    return warmUp;
  }
}

const UNPACED = { connections: null, mailsPerConnection: null, perMinute: null, perHour: null };
