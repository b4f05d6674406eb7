import { Injectable } from '@nestjs/common';
import type { Worker } from '#libs/persistence';
import type { DeliveryJob } from './ledger/delivery-job.js';

const MAX_JOBS = 2_000;
const MAX_BYTES = 64 * 1024 * 1024;

interface Receiver {
  worker: Pick<Worker, 'id' | 'alive' | 'life'>;
  wake: () => void;
}

/**
 * From accept to delivery in memory, where both run in one process. A mail takes this way only if there was room before
 * its commit: its recipients are then written as already claimed by this process's worker. Beyond the bounds the mail
 * stays in the database and the claim loop finds it: memory never grows with the backlog.
 */
@Injectable()
export class HandOff {
  private readonly queue: DeliveryJob[] = [];
  private jobs = 0;
  private bytes = 0;
  private receiver: Receiver | undefined;

  /** Called by the delivery loop of this process once its worker is registered. */
  connect(receiver: Receiver): void {
    this.receiver = receiver;
  }

  /** From now on nothing is handed over; what waits is left to its claim's end. Returns what was waiting. */
  disconnect(): DeliveryJob[] {
    this.receiver = undefined;
    return this.take(this.queue.length);
  }

  /** Room for one mail of `jobs` recipient domains and `bytes`; the worker to write as claimant, or null. */
  reserve(jobs: number, bytes: number): Receiver['worker'] | null {
    if (!this.receiver?.worker.alive || this.jobs + jobs > MAX_JOBS || this.bytes + bytes > MAX_BYTES) return null;
    this.jobs += jobs;
    this.bytes += bytes;
    return this.receiver.worker;
  }

  /** Gives room back: the commit failed. */
  cancel(jobs: number, bytes: number): void {
    this.jobs -= jobs;
    this.bytes -= bytes;
  }

  /** After the commit. */
  push(jobs: DeliveryJob[]): void {
    this.queue.push(...jobs);
    this.receiver?.wake();
  }

  /** Jobs that nobody has taken yet. */
  get waiting(): readonly DeliveryJob[] {
    return this.queue;
  }

  /** Up to `limit` waiting jobs; their room is free again. */
  take(limit: number): DeliveryJob[] {
    const taken = this.queue.splice(0, limit);
    for (const job of taken) this.cancel(1, job.reservedBytes);
    return taken;
  }
}
