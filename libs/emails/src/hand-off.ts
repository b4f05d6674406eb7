import { Injectable } from '@nestjs/common';
import { PassingSet } from '#libs/kernel';
import type { Worker } from '#libs/persistence';
import type { DeliveryJob } from './ledger/delivery-job.js';

const MAX_JOBS = 2_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Delivery in this process. */
export interface HandOffReceiver {
  worker: Pick<Worker, 'id' | 'alive' | 'life'>;
  /** Whether one mail more to this recipient domain should be claimed now; else it waits in the database. */
  welcomes: (domain: string) => boolean;
  /** Jobs whose mail is committed, already claimed by the worker. `leave` is called for each when it waits no more. */
  take: (jobs: DeliveryJob[]) => void;
}

/**
 * From accept to delivery in memory, where both run in one process. A mail takes this way only if there was room before
 * its commit: its recipients are then written as already claimed by this process's worker. Beyond the bounds, and where
 * its destination has its share waiting already, the mail stays in the database and the claim finds it: memory never
 * grows with the backlog, and a stalled destination does not fill it.
 */
@Injectable()
export class HandOff {
  private readonly waiting = new PassingSet<DeliveryJob>();
  private jobs = 0;
  private bytes = 0;
  private receiver: HandOffReceiver | undefined;

  /** Called by the delivery of this process once its worker is registered. */
  connect(receiver: HandOffReceiver): void {
    this.receiver = receiver;
  }

  /** From now on nothing more is reserved; what was is still taken, so that its claim is given back. */
  disconnect(): void {
    if (this.receiver) this.receiver = { ...this.receiver, welcomes: () => false };
  }

  /** False: a destination of this mail has what it can take; nobody needs to be told that there is more. */
  welcomes(jobs: readonly DeliveryJob[]): boolean {
    const { receiver } = this;
    return receiver === undefined || jobs.every(({ domain }) => receiver.welcomes(domain));
  }

  /** Room for the jobs of one mail, of `bytes`; the worker to write as claimant, or null. */
  reserve(jobs: readonly DeliveryJob[], bytes: number): HandOffReceiver['worker'] | null {
    const { receiver } = this;
    if (!receiver?.worker.alive || this.jobs + jobs.length > MAX_JOBS || this.bytes + bytes > MAX_BYTES) return null;
    this.jobs += jobs.length;
    this.bytes += bytes;
    return receiver.worker;
  }

  /** Gives room back: the commit failed. */
  cancel(jobs: number, bytes: number): void {
    this.jobs -= jobs;
    this.bytes -= bytes;
  }

  /** After the commit. */
  push(jobs: DeliveryJob[]): void {
    for (const job of jobs) this.waiting.add(job);
    this.receiver?.take(jobs);
  }

  /** A job waits no more: it begins, or goes back. Its room is free again. */
  leave(job: DeliveryJob): void {
    if (this.waiting.delete(job)) this.cancel(1, job.reservedBytes);
  }
}
