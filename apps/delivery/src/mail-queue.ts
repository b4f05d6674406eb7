import type { DeliveryJob } from '#libs/emails';
import type { Destination, Obstacle, WaitReason } from '#libs/mta';

export interface WaitingJob {
  job: DeliveryJob;
  /** Of `performance.now()`. */
  since: number;
}

/** Beyond that many names of one queue's domains the others are asked for as if they were unknown. */
const MAX_DOMAINS = 1_000;

/** What waits in memory for one destination, and what is known of it. */
export class MailQueue {
  readonly waiting: WaitingJob[] = [];
  /** Recipient domains that were seen to lead here. */
  readonly domains = new Set<string>();
  /** Jobs between pass and outcome. */
  running = 0;
  /** While there is one, what is due waits in the database. */
  closure: Obstacle | null = null;
  /** What it waits for in memory; null: a free place. */
  reason: WaitReason | null = null;
  /** What waited in memory had to go back, and nothing ended soon since: only what can begin at once is taken. */
  isStalled = false;
  /** Something was claimed for it: there may be more in the database. */
  isDraining = false;
  touchedAt = performance.now();
  /** When a job of it ended last. */
  endedAt = -Infinity;
  /** When it is looked at again by itself. */
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
    // What comes by the hand-off brings its body along.
    if (job.content === undefined) this.isDraining = true;
    this.waiting.push({ job, since: this.touchedAt });
  }

  /** Of the first; 0 when none waits. */
  oldestWaitMs(): number {
    return this.waiting.length === 0 ? 0 : performance.now() - this.waiting[0].since;
  }
}
