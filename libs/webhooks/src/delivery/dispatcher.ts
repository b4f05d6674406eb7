import { Injectable } from '@nestjs/common';
import { backoffMs, LocalNotifications, Log, Metrics, Poller, sleep, tracing } from '#libs/kernel';
import { ClaimSweep, JobRunner, GroupCommit, Worker } from '#libs/persistence';
import { Gauge } from 'prom-client';
import type { WebhookJob } from './claim.js';
import { WebhookAttempts, type AttemptResult, type EndedAttempt } from './delivery-attempt.js';
import { claimKeyOf, DeliveryQueue, type SettleResult, type WebhookClaim } from './delivery-queue.js';
import { EndpointUpdates, type EndpointChange } from './endpoint-updates.js';
import { WebhookRangeReplays } from '../history/range-replay.js';
import type { Settlement } from './settle.js';

/** Requests in flight in this process. */
const CONCURRENCY = 512;
const POLL_MS = 250;
const REPLAY_POLL_MS = 1_000;
/** Until an endpoint has worked off a part of its due events, its replays wait. */
const REPLAY_PAUSE_MS = 100;
/** Claims in a row without a delivery, because all endpoints visited are paused or full; then the next one waits for the poll. */
const EMPTY_CLAIMS = 10;
/** How long a stop waits for requests in flight; then they are aborted and repeated after the next start. */
const STOP_GRACE_MS = 4_000;
/** A later retry is left to the poll. */
const LONGEST_TIMER_MS = 60_000;

/** Claims due deliveries, makes the attempts and records the results. Any number of dispatchers may share a database. */
@Injectable()
export class WebhookDispatcher {
  private readonly loop: JobRunner<WebhookJob>;
  private readonly replayLoop: Poller;
  private readonly claims: ClaimSweep<WebhookClaim>;
  private readonly settlements: GroupCommit<Settlement, SettleResult>;
  private readonly endpoints: EndpointUpdates;
  private readonly inFlight = new Map<string, number>();
  /** Endpoints with more due deliveries than they had room for, and the number of requests at which to claim again. */
  private readonly claimAgainAt = new Map<string, number>();
  private emptyClaims = 0;
  private readonly cleanups: (() => void)[] = [];
  private nextRetry: { at: number; timer: NodeJS.Timeout } | undefined;
  private stopping = false;

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly attempts: WebhookAttempts,
    private readonly replays: WebhookRangeReplays,
    private readonly worker: Worker,
    private readonly notifications: LocalNotifications,
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.settlements = new GroupCommit({ commit: (group) => this.queue.settle(group), maxItems: CONCURRENCY });
    this.loop = new JobRunner(
      {
        name: 'webhooks',
        claim: (limit) => this.claim(limit),
        work: (job) => this.work(job),
        concurrency: CONCURRENCY,
        pollMs: POLL_MS,
      },
      log,
    );
    this.replayLoop = new Poller(
      { name: 'webhook replays', pollMs: REPLAY_POLL_MS, round: () => this.stepReplays() },
      log,
    );
    this.endpoints = new EndpointUpdates((id, change) => this.writeEndpoint(id, change), log);
    this.claims = new ClaimSweep(
      {
        name: 'webhook deliveries',
        stored: () => queue.storedClaims(),
        held: () => Array.from(this.loop.jobs, claimKeyOf),
        release: (claims) => queue.release(claims),
        onReleased: () => this.loop.wake(),
      },
      worker,
      log,
    );
    this.registerGauges(metrics);
  }

  async start(): Promise<void> {
    await this.claims.start();
    await this.queue.failLeftPending();
    this.cleanups.push(
      () => this.claims.stop(),
      this.notifications.on('due-webhooks', () => this.loop.wake()),
      this.notifications.on('webhook-replays', () => this.replayLoop.wake()),
    );
    this.loop.start();
    this.replayLoop.start();
  }

  /** Claims nothing more, waits a short time for requests in flight, and releases all claims. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const cleanUp of this.cleanups.splice(0)) cleanUp();
    clearTimeout(this.nextRetry?.timer);
    const grace = setTimeout(() => this.attempts.interrupt(), STOP_GRACE_MS);
    await Promise.all([this.loop.stop(), this.replayLoop.stop()]);
    clearTimeout(grace);
    await this.endpoints.stop();
    try {
      await this.queue.releaseAll();
    } finally {
      await this.attempts.close();
    }
  }

  private async claim(limit: number): Promise<WebhookJob[]> {
    const { jobs, waiting, isComplete } = await this.worker.claim(() => this.queue.claim(limit, this.inFlight));
    for (const { webhookId } of jobs) this.inFlight.set(webhookId, (this.inFlight.get(webhookId) ?? 0) + 1);
    // At half and not after each request, so that one claim fills several slots.
    for (const id of waiting) this.claimAgainAt.set(id, Math.floor((this.inFlight.get(id) ?? 0) / 2));
    this.emptyClaims = jobs.length > 0 ? 0 : this.emptyClaims + 1;
    if (!isComplete && this.emptyClaims < EMPTY_CLAIMS) this.loop.wake();
    return jobs;
  }

  /** True when a replay goes on at once. */
  private async stepReplays(): Promise<boolean> {
    const state = await this.replays.step();
    if (state === 'waiting') await sleep(REPLAY_PAUSE_MS);
    return state !== 'idle';
  }

  private async work(job: WebhookJob): Promise<void> {
    try {
      // Other workers may have declared this one dead, and then the delivery may be claimed by another.
      const attempt = this.worker.isAlive ? await this.attempt(job) : ({ kind: 'interrupted' } as const);
      if (attempt.kind === 'interrupted') return await this.queue.release([job]);
      const settled = await this.persist(job, () => this.settlements.add(attempt.settlement));
      if (settled.written) this.updateEndpoint(job.webhookId, attempt, settled);
      if (attempt.settlement.delayMs !== null) this.wakeIn(attempt.settlement.delayMs);
    } finally {
      this.finished(job.webhookId);
    }
  }

  /** The attempt in a span below the request that submitted the email. */
  private async attempt(job: WebhookJob): Promise<AttemptResult> {
    if (!tracing.isOn) return this.attempts.run(job);
    const parent = await this.queue.traceContextOf(job).catch(() => null);
    const attributes = { 'postloft.webhook.id': job.webhookId, 'postloft.event.id': job.eventId };
    return tracing.span('webhook', { kind: 'client', parent, attributes }, async (span) => {
      const result = await this.attempts.run(job);
      if (result.kind === 'interrupted') return result;
      const { lastStatus, lastError } = result.settlement;
      span.set({ 'http.response.status_code': lastStatus ?? undefined });
      if (lastError !== null) span.fail(lastError);
      return result;
    });
  }

  /** Repeats a write while the database is unavailable; the claim stays ours meanwhile. */
  private async persist<T>(job: WebhookJob, write: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await write();
      } catch (error) {
        if (this.stopping) throw error;
        this.log.warn('the result of a webhook attempt cannot be stored yet', {
          webhook: job.webhookId,
          event: job.eventId,
          reason: (error as Error).message,
        });
        await sleep(backoffMs(failures));
      }
    }
  }

  private updateEndpoint(id: string, attempt: EndedAttempt, { wasFailing, failingTooLong }: SettleResult): void {
    const failing = attempt.settlement.status !== 'delivered';
    if (failing !== wasFailing || this.endpoints.isPending(id)) this.endpoints.add(id, { failing });
    this.updateWindow(id, attempt);
    if (attempt.endpointGone) this.endpoints.add(id, { disable: 'gone' });
    else if (failingTooLong) this.endpoints.add(id, { disable: 'failing' });
  }

  private updateWindow(id: string, { window, settlement: { startedAt } }: EndedAttempt): void {
    if (window === null) return;
    if (window.kind === 'grow') this.endpoints.add(id, { grow: 1 });
    else this.endpoints.add(id, { shrink: { startedAt, pauseMs: window.pauseMs } });
  }

  private async writeEndpoint(id: string, { failing, disable, grow, shrink }: EndpointChange): Promise<void> {
    if (failing !== undefined) await this.queue.setFailing(id, failing);
    if (shrink !== undefined) await this.queue.shrinkWindow(id, shrink);
    if (grow !== undefined) await this.queue.growWindow(id, grow);
    if (disable === undefined) return;
    const account = await this.queue.disable(id, disable);
    if (account === null) return;
    this.log.info('webhook disabled', { account, webhook: id, reason: disable });
    this.notifications.notify('outbox');
  }

  private finished(webhookId: string): void {
    const running = (this.inFlight.get(webhookId) ?? 1) - 1;
    if (running > 0) this.inFlight.set(webhookId, running);
    else this.inFlight.delete(webhookId);
    const claimAt = this.claimAgainAt.get(webhookId);
    if (claimAt === undefined || running > claimAt) return;
    this.claimAgainAt.delete(webhookId);
    this.loop.wake();
  }

  /** The poll would find a retry too; a timer makes short delays more precise. */
  private wakeIn(delayMs: number): void {
    const at = performance.now() + delayMs;
    if (delayMs > LONGEST_TIMER_MS || this.stopping || (this.nextRetry && this.nextRetry.at <= at)) return;
    clearTimeout(this.nextRetry?.timer);
    const timer = setTimeout(() => {
      this.nextRetry = undefined;
      this.loop.wake();
    }, delayMs);
    this.nextRetry = { at, timer };
  }

  private registerGauges({ registry }: Metrics): void {
    const inFlight = () => [...this.loop.jobs].length;
    new Gauge({
      name: 'postloft_webhook_requests_in_flight',
      help: 'Webhook requests in flight in this process.',
      registers: [registry],
      collect() {
        this.set(inFlight());
      },
    });
    const oldestDue = () => this.queue.oldestDue().catch(() => undefined);
    new Gauge({
      name: 'postloft_webhook_oldest_due_seconds',
      help: 'For how long the oldest due webhook delivery has waited for its request. Absent while the database is unavailable.',
      registers: [registry],
      async collect() {
        const seconds = await oldestDue();
        if (seconds === undefined) this.remove();
        else this.set(seconds);
      },
    });
  }
}
