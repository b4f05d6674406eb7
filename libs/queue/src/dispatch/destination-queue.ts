import type { DeliveryJob } from '#libs/emails';
import type { Destination, Deferral, WaitReason } from '#libs/mta';

export interface WaitingJob {
  job: DeliveryJob;
  /** Of `performance.now()`. */
  since: number;
}

/** Domains remembered per queue; further ones are treated as unknown. */
const MAX_DOMAINS = 1_000;

/** Jobs waiting in memory for one destination, and its state. */
export class DestinationQueue {
  readonly waiting: WaitingJob[] = [];
  /** Recipient domains that led to this destination. */
  readonly domains = new Set<string>();
  /** Jobs that were started and whose outcome is pending. */
  running = 0;
  /** While set, due recipients wait in the database. */
  closure: Deferral | null = null;
  /** Why jobs wait in memory; null: for a permit. */
  reason: WaitReason | null = null;
  /**
   * Jobs were requeued after a long wait, and nothing has ended quickly since: only jobs that can start at once are
   * taken.
   */
  isStalled = false;
  /** Jobs were claimed for this queue: there may be more in the database. */
  mayHaveMore = false;
  touchedAt = performance.now();
  /** When a job of this queue last ended. */
  endedAt = -Infinity;
  /** Fires when the queue is looked at again. */
  timer: NodeJS.Timeout | undefined;

  constructor(readonly destination: Destination) {}

  get name(): string {
    return this.destination.queue;
  }

  get isIdle(): boolean {
    return this.waiting.length === 0 && this.running === 0;
  }

  add(job: DeliveryJob): void {
    this.touchedAt = performance.now();
    if (this.domains.size < MAX_DOMAINS) this.domains.add(job.domain);
    // A job of local delivery brings its content along.
    if (job.content === undefined) this.mayHaveMore = true;
    this.waiting.push({ job, since: this.touchedAt });
  }

  /** Of the first job in milliseconds; 0 when none waits. */
  oldestWaitMs(): number {
    return this.waiting.length === 0 ? 0 : performance.now() - this.waiting[0].since;
  }
}
