import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { queueNames } from '#libs/contracts';
import { Config, ConfigError, Health, Log, Metrics, Shutdown } from '#libs/kernel';
import {
  createThrottling,
  type ProviderThrottling,
  type SharedThrottlingState,
  type ThrottlingPlan,
  type ThrottlingState,
  type WarmUpDay,
  readThrottlingPlan,
  JsonFileError,
} from '#libs/mta';
import { Database, Worker } from '#libs/persistence';
import { foreignSources } from './foreign-sources.js';
import { ThrottlingStore } from './throttling-store.js';

/** How soon other processes learn of a suspension; one to two seconds are promised. */
const EXCHANGE_MS = 1_000;
const PRUNE_EVERY = 600;
/** Changes kept while the database is unavailable; beyond this the oldest is dropped. */
const MOST_UNTOLD = 10_000;
/** The condition under which a server says that our address is on a block list. */
const BLOCKED = 'delivery_blocked';

/**
 * Synchronises the throttling state of this process with all other delivery processes: publishes what it learns,
 * applies what they learn, and shares the limits. Failures never fail a delivery: while the database is unavailable,
 * each process uses its own state.
 */
@Injectable()
export class SharedThrottling implements SharedThrottlingState, OnApplicationBootstrap {
  readonly plan: ThrottlingPlan;
  readonly throttling: ProviderThrottling;
  private readonly store: ThrottlingStore;
  private readonly untold = new Map<string, ThrottlingState>();
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
    private readonly health: Health,
    metrics: Metrics,
    shutdown: Shutdown,
  ) {
    this.store = new ThrottlingStore(database);
    this.plan = throttlingPlan(config);
    this.throttling = createThrottling({
      plan: this.plan,
      connectionsPerHost: config.settings.CONNECTIONS_PER_HOST,
      shared: this,
      log: (event) => {
        log.info('shaping', event);
        this.reportBlocks();
      },
    });
    this.measure(metrics);
    shutdown.on('flush', 'shaping', () => this.stop());
  }

  async onApplicationBootstrap(): Promise<void> {
    for (const source of await foreignSources(this.plan))
      this.log.warn('a source address of SHAPING_FILE or PENALTY_POOL is not on this machine', { source });
    await this.exchange();
    this.timer = setInterval(() => void this.exchange(), EXCHANGE_MS);
    this.timer.unref();
  }

  publish(state: ThrottlingState): void {
    const key = `${state.queue} ${state.source ?? ''} ${state.kind}`;
    this.untold.delete(key);
    this.untold.set(key, state);
    for (const oldest of this.untold.keys()) {
      if (this.untold.size <= MOST_UNTOLD) return;
      this.untold.delete(oldest);
    }
  }

  reserveWarmUp(day: WarmUpDay, wanted: number): Promise<number> {
    return this.store.takeWarmUp(day, wanted);
  }

  /** Publishes and applies changes once; waits for a running round instead of starting another. */
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
      const workers = await Worker.countAlive(this.database, ['standalone', 'delivery']);
      const { lifted } = this.throttling.merge({ states, workers });
      this.heardAt = until;
      // Recipients held back between the release and this round, and those being written at the same moment.
      for (const queue of new Set([...this.liftedBefore, ...lifted])) await this.store.release(queue, 0);
      this.liftedBefore = lifted;
      if (++this.rounds % PRUNE_EVERY === 0) await this.store.prune();
      this.failing = false;
    } catch (error) {
      if (!this.failing)
        this.log.warn('throttling state is not shared at the moment', { reason: (error as Error).message });
      this.failing = true;
    }
  }

  private async tellAll(): Promise<void> {
    const states = [...this.untold.values()];
    if (states.length === 0) return;
    await this.store.write(states);
    // Changes made meanwhile are published in the next round.
    for (const [key, state] of this.untold) if (states.includes(state)) this.untold.delete(key);
  }

  private async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
    await this.tellAll();
  }

  /** Addresses of ours that a block list has, as far as replies to this process say. */
  private reportBlocks(): void {
    const blocks = this.blocks().filter(({ penalty }) => penalty.own);
    const found = blocks.map(({ queue, source, penalty }) => {
      const { words, mx, blockList } = penalty.cause;
      const details = { queue, source, block_list: blockList, mx, reply: words };
      return [`${queue} ${source ?? ''}`.trim(), details] as const;
    });
    this.health.conditions.set(BLOCKED, new Map(found));
  }

  private blocks(): ReturnType<ProviderThrottling['penalties']> {
    return this.throttling.penalties().filter(({ penalty }) => penalty.cause.blockList !== null);
  }

  private providerOf(queue: string): string {
    return this.plan.providers.has(queueNames.penaltyQueue.ordinary(queue))
      ? queueNames.providerOfQueue(queue)
      : 'other';
  }

  private measure(metrics: Metrics): void {
    const penalties = () => this.throttling.penalties();
    const blocks = () => this.blocks();
    const providerOf = (queue: string) => this.providerOf(queue);
    new Gauge({
      name: 'postloft_penalties_active',
      help: 'Queues that are held back now, by mailbox provider and kind of restraint',
      labelNames: ['provider', 'kind'],
      registers: [metrics.registry],
      collect() {
        this.reset();
        for (const { queue, penalty } of penalties()) this.inc({ provider: providerOf(queue), kind: penalty.kind });
      },
    });
    new Gauge({
      name: 'postloft_delivery_blocked',
      help: 'Queues at which a server says that our address is on a block list, by mailbox provider and source address.',
      labelNames: ['provider', 'source'],
      registers: [metrics.registry],
      collect() {
        this.reset();
        for (const { queue, source } of blocks()) this.inc({ provider: providerOf(queue), source: source ?? '' });
      },
    });
  }
}

/**
 * The built-in limits, overridden by those of SHAPING_FILE, with the penalty pool of PENALTY_POOL.
 * @throws ConfigError with one sentence: the file, the place in it, and the allowed values.
 */
export function throttlingPlan({ settings }: Config): ThrottlingPlan {
  const { SHAPING_FILE: file, PENALTY_POOL, SERVICE_DOMAIN } = settings;
  const heloName = `smtp.${SERVICE_DOMAIN}`;
  try {
    return readThrottlingPlan({
      ...(file === undefined ? {} : { file }),
      ...(PENALTY_POOL === undefined ? {} : { penaltyPool: PENALTY_POOL }),
      heloName,
    });
  } catch (error) {
    if (!(error instanceof JsonFileError)) throw error;
    throw new ConfigError(`SHAPING_FILE ${file}: ${error.message}.`, { cause: error });
  }
}
