import type { Destination } from '../courier.js';
import type { Deferred, Outcome } from '../delivery-outcome.js';
import { lessonOf } from './judge-outcomes.js';
import { Lane } from './lane.js';
import { Queues } from './queues.js';
import type { Queue } from './queues.js';
import { causeOf, furtherFactor } from './restraint.js';
import type { Cause, Restraint } from './restraint.js';
import { Restraints } from './restraints.js';
import type { ShapingMemory, ShapingState } from './shaping-memory.js';
import type { Automation, ShapingPlan } from './shaping-plan.js';
import { Shaping } from './shaping.js';
import type { Admission, Obstacle, Pass, Sender, PaceWait } from './shaping.js';
import { SourcePools } from './source-pools.js';
import { waitReason } from './wait-reason.js';
import type { WarmUp } from './warm-up.js';

export interface ShapingOptions {
  plan: ShapingPlan;
  /** Jobs at once to one domain, or to the smarthost. */
  connectionsPerHost: number;
  /** Milliseconds since 1970. */
  now?: () => number;
  memory?: ShapingMemory;
  /** One line per beginning and end of a suspension or slow-down. */
  log?: (event: object) => void;
}

/** How long a mail that found no place waits when nobody can say how long it must. */
const NO_PLACE_MS = 2_000;

/**
 * Limits per queue and source address; see docs/delivery.md. In memory, without timers: what time changes is worked out
 * when somebody asks.
 */
export class ProviderShaping extends Shaping {
  readonly #now: () => number;
  readonly #pools: SourcePools;
  readonly #queues: Queues;
  readonly #restraints: Restraints;
  #workers = 1;

  constructor(private readonly options: ShapingOptions) {
    super();
    this.#now = options.now ?? Date.now;
    this.#pools = new SourcePools(options.plan);
    this.#queues = new Queues({ ...options, memory: options.memory ?? null });
    this.#restraints = new Restraints(options);
  }

  override room(destination: Destination): number {
    if (destination.queue === 'capture') return Number.MAX_SAFE_INTEGER;
    const now = this.#now();
    const queue = this.#queues.get(destination.queue, now);
    let room = 0;
    for (const source of this.#pools.all) {
      const lane = queue.lane(source, now);
      const free = lane.room(now, this.#workers);
      room += free === 0 || lane.of.warmUp === null ? free : Math.min(free, lane.of.warmUp.room(now));
    }
    return room;
  }

  override admit(destination: Destination, sender: Sender): Admission {
    if (destination.queue === 'capture') return { kind: 'go', pass: FREE_PASS };
    const now = this.#now();
    const queue = this.#queues.get(destination.queue, now);
    const sources = this.#pools.of(sender);
    const lane = this.#open(queue, sources, { sender, now });
    if (lane !== null) return { kind: 'go', pass: this.#pass(lane, sender, now) };
    return { kind: 'wait', ...this.#first(queue, sources, now) };
  }

  override obstacle(destination: Destination, sender?: Sender): Obstacle | null {
    if (this.room(destination) > 0) return null;
    const now = this.#now();
    const sources = sender === undefined ? this.#pools.all : this.#pools.of(sender);
    return this.#first(this.#queues.get(destination.queue, now), sources, now);
  }

  /**
   * Takes in what other processes learnt, and how many of them deliver. Call it every second or so. Returns the queues
   * of which somebody ended a restraint before its time.
   */
  learn({ states, workers }: { states: readonly ShapingState[]; workers: number }): { lifted: string[] } {
    const now = this.#now();
    this.#workers = Math.max(1, workers);
    const lifted = new Set<string>();
    for (const state of states) {
      const source = this.#pools.find(state.source);
      if (source === undefined) continue;
      if (this.#restraints.hear(this.#queues.get(state.queue, now).lane(source, now), state, now))
        lifted.add(state.queue);
    }
    this.#restraints.tellEnds(now);
    return { lifted: [...lifted] };
  }

  /** How many queues are remembered. */
  get known(): number {
    return this.#queues.size;
  }

  /** What holds which queue back now; for people. */
  restraints(): { queue: string; source: string | null; restraint: Restraint }[] {
    this.#restraints.tellEnds(this.#now());
    return this.#restraints.active();
  }

  /**
   * The lane by which the next mail goes; null: none has room. An address in its warm-up goes first, as long as its day
   * allows; the others of the pool take what is over, in turn.
   */
  #open(queue: Queue, sources: SourcePools['all'], { sender, now }: { sender: Sender; now: number }): Lane | null {
    let open: Lane | null = null;
    const from = queue.turn;
    if (sources.length > 1) queue.turn = (from + 1) % sources.length;
    for (let i = 0; i < sources.length; i += 1) {
      const lane = queue.lane(sources[(from + i) % sources.length], now);
      if (lane.room(now, this.#workers) === 0) continue;
      const { warmUp } = lane.of;
      if (warmUp === null || warmUp.isWarm(now)) open ??= lane;
      else if (hasRoom(warmUp, sender.recipients, now)) return lane;
    }
    return open;
  }

  #pass(lane: Lane, sender: Sender, now: number): Pass {
    const serial = lane.begin(now);
    const { warmUp } = lane.of;
    warmUp?.spend(warmUp.cost(sender.recipients));
    let open = true;
    return {
      source: lane.of.source,
      done: (outcomes) => {
        if (!open) return;
        open = false;
        this.#finish({ lane, serial, beganAt: now, recipients: sender.recipients }, outcomes);
      },
    };
  }

  #finish(job: BegunJob, outcomes: readonly Outcome[]): void {
    const { lane, serial } = job;
    const now = this.#now();
    // Before anything new begins: each end is told, even if nobody looked in between.
    this.#restraints.tellEndsOf(lane, now);
    const lesson = lessonOf(outcomes, this.#queues.plan(lane.of.queue).automations);
    lane.end(lesson.idle);
    if (lesson.delivered) lane.succeeded();
    if (lesson.troubled) lane.troubled(serial);
    this.#warmUpEnds(job, { idle: lesson.idle, deferred: lesson.deferred, now });
    if (lesson.automation !== null)
      this.#act(lane, { ...lesson.automation, cause: causeOf(lesson.automation), serial, now });
  }

  #warmUpEnds(
    { lane, beganAt, recipients }: BegunJob,
    { idle, deferred, now }: { idle: boolean; deferred: Deferred | null; now: number },
  ): void {
    const { warmUp } = lane.of;
    if (warmUp === null || warmUp.isWarm(now)) return;
    if (idle) return warmUp.giveBack(warmUp.cost(recipients), beganAt);
    if (!warmUp.notes(deferred !== null) || deferred === null) return;
    const cause = causeOf({ rule: { id: 'warm-up-deferrals' }, said: deferred });
    this.#restraints.begin(lane, { kind: 'warm_up', cause, at: now, until: now + warmUp.plan.pauseMs, own: true });
  }

  #act(
    lane: Lane,
    { rule, cause, serial, now }: { rule: Automation; cause: Cause; serial: number; now: number },
  ): void {
    const { action } = rule;
    switch (action.kind) {
      case 'suspend':
        if (lane.hears('suspended', serial))
          this.#restraints.begin(lane, { kind: 'suspended', cause, at: now, until: now + action.forMs, own: true });
        return;
      case 'slow_down':
        if (lane.hears('slow_down', serial)) {
          const factor = furtherFactor(lane.slowDown, action.factor, now);
          this.#restraints.begin(lane, {
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
  #first(queue: Queue, sources: SourcePools['all'], now: number): Obstacle {
    const [first, ...others] = sources.map((source) => this.#obstacle(queue.lane(source, now), now));
    const next = others.reduce((soonest, one) => (one.until < soonest.until ? one : soonest), first);
    const facts = { now, workers: this.#workers };
    return { until: new Date(next.until), reason: waitReason(next.lane, next.kind, facts) };
  }

  #obstacle(lane: Lane, now: number): { lane: Lane; kind: PaceWait; until: number } {
    const { suspension, slowDown } = lane;
    if (suspension !== null && now < suspension.until) return { lane, kind: suspension.kind, until: suspension.until };
    const turn = lane.nextAt(now, this.#workers);
    const slowed = slowDown !== null && lane.isSlowed(now);
    if (turn > now) return { lane, kind: slowed ? 'slow_down' : 'rate', until: turn };
    if (lane.room(now, this.#workers) === 0)
      return { lane, kind: slowed ? 'slow_down' : 'concurrency', until: now + NO_PLACE_MS };
    return { lane, kind: 'warm_up', until: lane.of.warmUp?.nextAt(now) ?? now + NO_PLACE_MS };
  }
}

interface BegunJob {
  lane: Lane;
  serial: number;
  beganAt: number;
  recipients: number;
}

function hasRoom(warmUp: WarmUp, recipients: number, now: number): boolean {
  const cost = warmUp.cost(recipients);
  return warmUp.room(now, cost) >= cost;
}

const FREE_PASS: Pass = Object.freeze({ source: null, done: () => undefined });
