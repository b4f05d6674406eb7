import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Config, Log, Metrics, Shutdown } from '#libs/kernel';
import {
  createShaping,
  type ProviderShaping,
  type ShapingMemory,
  type ShapingPlan,
  type ShapingState,
  type WarmUpDay,
} from '#libs/mta';
import { countLivingWorkers, Database } from '#libs/persistence';
import { Gauge } from 'prom-client';
import { foreignSources } from './foreign-sources.js';
import { shapingPlan } from './shaping-plan.js';
import { ShapingStore } from './shaping-store.js';

/** How soon the others hear of a suspension; the promise is one to two seconds. */
const EXCHANGE_MS = 1_000;
const PRUNE_EVERY = 600;
/** What could not be told while the database was away; beyond this the oldest is forgotten. */
const MOST_UNTOLD = 10_000;

/**
 * The shaping of this process, in step with that of all other delivery processes: tells them what it learns, hears what
 * they learn, and shares the limits with them. Nothing here fails a delivery: while the database is away each process
 * goes by what it knows.
 */
@Injectable()
export class SharedShaping implements ShapingMemory, OnApplicationBootstrap {
  readonly plan: ShapingPlan;
  readonly shaping: ProviderShaping;
  private readonly store: ShapingStore;
  private readonly untold = new Map<string, ShapingState>();
  private heardAt: Date | null = null;
  private liftedBefore: readonly string[] = [];
  private rounds = 0;
  private failing = false;
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    config: Config,
    private readonly log: Log,
    metrics: Metrics,
    shutdown: Shutdown,
  ) {
    this.store = new ShapingStore(database);
    this.plan = shapingPlan(config);
    this.shaping = createShaping({
      plan: this.plan,
      connectionsPerHost: config.settings.CONNECTIONS_PER_HOST,
      memory: this,
      log: (event) => log.info('shaping', event),
    });
    this.measure(metrics);
    shutdown.on('flush', 'shaping', () => this.stop());
  }

  async onApplicationBootstrap(): Promise<void> {
    for (const source of await foreignSources(this.plan))
      this.log.warn('SHAPING_FILE names a source address that this machine does not have', { source });
    await this.exchange();
    this.timer = setInterval(() => void this.exchange(), EXCHANGE_MS);
    this.timer.unref();
  }

  tell(state: ShapingState): void {
    const key = `${state.queue} ${state.source ?? ''} ${state.kind}`;
    this.untold.delete(key);
    this.untold.set(key, state);
    for (const oldest of this.untold.keys()) {
      if (this.untold.size <= MOST_UNTOLD) return;
      this.untold.delete(oldest);
    }
  }

  takeWarmUp(day: WarmUpDay, wanted: number): Promise<number> {
    return this.store.takeWarmUp(day, wanted);
  }

  /** Tells and hears once; a round that still runs is waited for instead. */
  exchange(): Promise<void> {
    this.running ??= this.round().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async round(): Promise<void> {
    try {
      await this.tellAll();
      const { states, until } = await this.store.changedSince(this.heardAt);
      const workers = await countLivingWorkers(this.database, ['standalone', 'delivery']);
      const { lifted } = this.shaping.learn({ states, workers });
      this.heardAt = until;
      // What was held back between the lifting and our hearing of it, and once more what was being written just then.
      for (const queue of new Set([...this.liftedBefore, ...lifted])) await this.store.release(queue, 0);
      this.liftedBefore = lifted;
      if (++this.rounds % PRUNE_EVERY === 0) await this.store.prune();
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.log.warn('shaping is not shared for now', { reason: (error as Error).message });
      this.failing = true;
    }
  }

  private async tellAll(): Promise<void> {
    const states = [...this.untold.values()];
    if (states.length === 0) return;
    await this.store.write(states);
    // What changed meanwhile is told in the next round.
    for (const [key, state] of this.untold) if (states.includes(state)) this.untold.delete(key);
  }

  private async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
    await this.tellAll();
  }

  private measure(metrics: Metrics): void {
    const { shaping, plan } = this;
    new Gauge({
      name: 'postloft_shaping_restraints',
      help: 'Queues that are held back now, by mailbox provider and kind of restraint',
      labelNames: ['provider', 'kind'],
      registers: [metrics.registry],
      collect() {
        this.reset();
        for (const { queue, restraint } of shaping.restraints())
          this.inc({ provider: plan.providers.has(queue) ? queue : 'other', kind: restraint.kind });
      },
    });
  }
}
