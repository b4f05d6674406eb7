import { Injectable } from '@nestjs/common';
import type { Worker } from '#libs/persistence';
import type { DeliveryJob } from './delivery-job.js';

const MAX_JOBS = 2_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** The delivery part of this process. */
export interface LocalReceiver {
  worker: Pick<Worker, 'id' | 'isAlive' | 'epoch' | 'startClaim'>;
  /** False: the job waits in the database. */
  accepts: (job: DeliveryJob) => boolean;
  /** Takes committed jobs that the worker has claimed already. `leave` is called for each when it stops waiting. */
  take: (jobs: DeliveryJob[]) => void;
}

/** The reservation of one message. */
export interface LocalReservation {
  /** The worker that claims the recipients in the accept transaction; null: the claim loop finds them. */
  workerId: string | null;
  /** Called after the commit; null: nothing was reserved, and the message waits in the database. */
  deliver: (() => void) | null;
  /** Called instead when nothing was written. */
  cancel: () => void;
}

const NOTHING_DUE: LocalReservation = { workerId: null, deliver: () => undefined, cancel: () => undefined };
const IN_DATABASE: LocalReservation = { ...NOTHING_DUE, deliver: null };

/**
 * Passes accepted messages to delivery in memory if both run in one process. Space is reserved before the commit, so
 * that the recipients are written as claimed by the worker of this process. Beyond the limits, and for destinations
 * with enough jobs waiting, the message stays in the database: memory does not grow with the backlog, and a stalled
 * destination does not fill it.
 */
@Injectable()
export class LocalDelivery {
  private readonly waiting = new Set<DeliveryJob>();
  private jobs = 0;
  private bytes = 0;
  private receiver: LocalReceiver | undefined;

  /** Called by the delivery of this process once its worker is registered. */
  connect(receiver: LocalReceiver): void {
    this.receiver = receiver;
  }

  /** Ends reservations; jobs already reserved are still taken, so that their claims are released. */
  disconnect(): void {
    if (this.receiver) this.receiver = { ...this.receiver, accepts: () => false };
  }

  /** Reserves space for all jobs of one message with a body of `bytes`. */
  reserve(jobs: DeliveryJob[], bytes: number): LocalReservation {
    const { receiver } = this;
    // A destination with enough jobs waiting claims more on its own.
    if (jobs.length === 0 || (receiver && !jobs.every((job) => receiver.accepts(job)))) return NOTHING_DUE;
    if (!receiver?.worker.isAlive || this.jobs + jobs.length > MAX_JOBS || this.bytes + bytes > MAX_BYTES)
      return IN_DATABASE;
    this.jobs += jobs.length;
    this.bytes += bytes;
    for (const job of jobs) job.epoch = receiver.worker.epoch;
    // The first job accounts for the body; the others share it.
    jobs[0].reservedBytes = bytes;
    const end = receiver.worker.startClaim();
    return {
      workerId: receiver.worker.id,
      deliver: () => {
        this.push(jobs);
        end();
      },
      cancel: () => {
        this.release(jobs.length, bytes);
        end();
      },
    };
  }

  /** A job stops waiting: it starts or is requeued. */
  leave(job: DeliveryJob): void {
    if (this.waiting.delete(job)) this.release(1, job.reservedBytes);
  }

  private push(jobs: DeliveryJob[]): void {
    for (const job of jobs) this.waiting.add(job);
    this.receiver?.take(jobs);
  }

  private release(jobs: number, bytes: number): void {
    this.jobs -= jobs;
    this.bytes -= bytes;
  }
}
