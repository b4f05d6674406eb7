import { backoffMs, Semaphore, sleep, type Log } from '#libs/kernel';
import type { DisabledReason } from '../webhook.resource.js';

/** A pending update of an endpoint. */
export interface EndpointChange {
  /** True: it starts to fail; false: it has recovered. */
  failing?: boolean;
  disable?: DisabledReason;
  /** Requests in flight to add to its window. */
  grow?: number;
  shrink?: { startedAt: Date; pauseMs: number };
}

/** A later change replaces an earlier one of the same kind; growth is added up, and a failure cancels earlier growth. */
function merged(earlier: EndpointChange | undefined, later: EndpointChange): EndpointChange {
  const grow = later.shrink ? 0 : (earlier?.grow ?? 0) + (later.grow ?? 0);
  const { grow: _, ...rest } = { ...earlier, ...later };
  return grow > 0 ? { ...rest, grow } : rest;
}

/** Statements at a time, so that locked endpoints do not take the connections of the deliveries. */
const CONCURRENCY = 2;

/**
 * Writes which endpoints fail or have recovered, and their windows, and disables endpoints. In the background and in order per endpoint, so
 * that the results of other endpoints never wait for the lock of one.
 */
export class EndpointUpdates {
  private readonly wanted = new Map<string, EndpointChange>();
  private readonly running = new Map<string, Promise<void>>();
  private readonly slots = new Semaphore(CONCURRENCY);
  private readonly stopping = new AbortController();

  constructor(
    private readonly write: (webhookId: string, change: EndpointChange) => Promise<void>,
    private readonly log: Log,
  ) {}

  add(webhookId: string, change: EndpointChange): void {
    this.wanted.set(webhookId, merged(this.wanted.get(webhookId), change));
    if (this.running.has(webhookId)) return;
    this.running.set(webhookId, this.writeAll(webhookId));
  }

  /** True while a change of this endpoint is being written: what the database says about it is out of date. */
  isPending(webhookId: string): boolean {
    return this.running.has(webhookId);
  }

  /** Waits for the changes in progress; one that cannot be written is given up. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running.values());
  }

  private async writeAll(webhookId: string): Promise<void> {
    for (let failures = 0; ;) {
      const change = this.wanted.get(webhookId);
      this.wanted.delete(webhookId);
      if (change === undefined) return void this.running.delete(webhookId);
      try {
        await this.slots.run(() => this.write(webhookId, change));
        failures = 0;
      } catch (error) {
        this.log.warn('the state of a webhook cannot be stored yet', {
          webhook: webhookId,
          reason: (error as Error).message,
        });
        if (this.stopping.signal.aborted) return void this.running.delete(webhookId);
        this.wanted.set(webhookId, merged(change, this.wanted.get(webhookId) ?? {}));
        await sleep(backoffMs(++failures), this.stopping.signal);
      }
    }
  }
}
