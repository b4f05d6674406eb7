import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config, Log, Wakeups } from '#libs/kernel';
import { DueWorkLoop, GroupCommit, Worker } from '#libs/persistence';
import { WebhookCaller } from './webhook-caller.js';
import type { WebhookJob } from './webhook-job.js';
import { WebhookLedger, type Settled } from './webhook-ledger.js';
import type { Settlement } from './webhook-settle.js';
import type { DisabledReason } from './webhook.entity.js';

const CONCURRENCY = 256;
/** calls in flight to one endpoint; while more than half of all places are taken, less, so that some stay free for the others. */
const PER_ENDPOINT = 10;
const PER_ENDPOINT_WHEN_BUSY = 2;
const POLL_MS = 250;
const FREE_DEAD_MS = 5_000;
/** What a stop leaves to calls that run; afterwards they are cut off and made again after the next start. */
const STOP_GRACE_MS = 4_000;
const WRITE_AGAIN_MS = [250, 500, 1_000, 2_000, 5_000];

/** Due deliveries → calls → what came of them. Any number of dispatchers may work on one database. */
@Injectable()
export class WebhookDispatcher {
  private readonly loop: DueWorkLoop<WebhookJob>;
  private readonly settling: GroupCommit<Settlement, Settled>;
  private readonly inFlight = new Map<string, number>();
  /** Endpoints that were given all the room they may have: more may wait for them. */
  private readonly atLimit = new Set<string>();
  private readonly ending: (() => void)[] = [];
  private nextDue: { at: number; timer: NodeJS.Timeout } | undefined;
  private stopping = false;

  constructor(
    private readonly ledger: WebhookLedger,
    private readonly caller: WebhookCaller,
    private readonly worker: Worker,
    private readonly config: Config,
    private readonly wakeups: Wakeups,
    private readonly log: Log,
  ) {
    this.settling = new GroupCommit({ commit: (group) => this.ledger.settle(group), maxItems: CONCURRENCY });
    this.loop = new DueWorkLoop(
      {
        name: 'webhooks',
        claim: (limit) => this.claim(limit),
        work: (job) => this.work(job),
        concurrency: CONCURRENCY,
        pollMs: POLL_MS,
      },
      log,
    );
  }

  async start(): Promise<void> {
    await this.worker.register();
    // One standalone program per data directory: whatever an earlier one held is free at once, not after 20 s.
    await this.ledger.freeDead(this.config.program === 'standalone' ? this.config.dataDir : undefined);
    const timer = setInterval(() => void this.freeDead(), FREE_DEAD_MS);
    this.ending.push(
      () => clearInterval(timer),
      this.wakeups.on('due-webhooks', () => this.loop.wake()),
    );
    this.loop.start();
  }

  /** Claims nothing more, gives running calls a moment, and leaves no claim behind. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const end of this.ending.splice(0)) end();
    clearTimeout(this.nextDue?.timer);
    const grace = setTimeout(() => this.caller.interrupt(), STOP_GRACE_MS);
    await this.loop.stop();
    clearTimeout(grace);
    try {
      await this.ledger.releaseAll();
    } finally {
      await this.caller.close();
    }
  }

  private async claim(limit: number): Promise<WebhookJob[]> {
    const room = limit > CONCURRENCY / 2 ? PER_ENDPOINT : PER_ENDPOINT_WHEN_BUSY;
    const jobs = await this.ledger.claim(limit, room);
    for (const { webhookId } of jobs) {
      const calls = (this.inFlight.get(webhookId) ?? 0) + 1;
      this.inFlight.set(webhookId, calls);
      if (calls >= room) this.atLimit.add(webhookId);
    }
    return jobs;
  }

  private async work(job: WebhookJob): Promise<void> {
    try {
      // A worker that others may already have buried must not call: the delivery may be somebody else's by now.
      const attempted = this.worker.alive ? await this.caller.attempt(job) : ({ kind: 'interrupted' } as const);
      if (attempted.kind === 'interrupted') return await this.ledger.release(job);
      const settled = await this.write(job, () => this.settling.add(attempted.settlement));
      if (attempted.endpointGone) await this.write(job, () => this.disable(job, 'gone'));
      else if (settled.failingTooLong) await this.write(job, () => this.disable(job, 'failing'));
      if (attempted.settlement.delayMs !== null) this.lookAgainIn(attempted.settlement.delayMs);
    } finally {
      this.ended(job.webhookId);
    }
  }

  /** The claim stays ours while the database is away, so what came of the call is written down as soon as it is back. */
  private async write<T>(job: WebhookJob, attempt: () => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures++) {
      try {
        return await attempt();
      } catch (error) {
        if (this.stopping) throw error;
        this.log.warn('a webhook call could not be written down yet', {
          webhook: job.webhookId,
          event: job.eventId,
          reason: (error as Error).message,
        });
        await sleep(WRITE_AGAIN_MS[Math.min(failures, WRITE_AGAIN_MS.length - 1)]);
      }
    }
  }

  private async disable({ accountId, webhookId }: WebhookJob, reason: DisabledReason): Promise<void> {
    if (await this.ledger.disable(webhookId, reason)) {
      this.log.info('webhook disabled', { account: accountId, webhook: webhookId, reason });
      this.wakeups.ring('outbox');
    }
  }

  private ended(webhookId: string): void {
    const calls = (this.inFlight.get(webhookId) ?? 1) - 1;
    if (calls > 0) this.inFlight.set(webhookId, calls);
    else this.inFlight.delete(webhookId);
    // At half, not at each: one claim for several places.
    if (calls <= PER_ENDPOINT / 2 && this.atLimit.delete(webhookId)) this.loop.wake();
  }

  /** The poll would find a retry too; a short delay is kept more exactly this way. */
  private lookAgainIn(delayMs: number): void {
    const at = performance.now() + delayMs;
    if (delayMs > 60_000 || this.stopping || (this.nextDue && this.nextDue.at <= at)) return;
    clearTimeout(this.nextDue?.timer);
    const timer = setTimeout(() => {
      this.nextDue = undefined;
      this.loop.wake();
    }, delayMs);
    this.nextDue = { at, timer };
  }

  private async freeDead(): Promise<void> {
    try {
      const freed = await this.ledger.freeDead();
      if (freed > 0) {
        this.log.info('freed what dead workers had claimed', { claims: freed });
        this.loop.wake();
      }
    } catch (error) {
      this.log.warn('looking for dead workers failed', { reason: (error as Error).message });
    }
  }
}
