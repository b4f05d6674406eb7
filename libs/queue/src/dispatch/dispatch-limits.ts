import { Injectable } from '@nestjs/common';
import { Config } from '#libs/kernel';
import { FairSemaphore } from './fair-semaphore.js';
import { UnsettledLimit } from './unsettled-limit.js';

/** Jobs waiting in memory, beside those in progress; local delivery has the same bound. */
const MAX_WAITING = 2_000;
/** Jobs that connect or wait for a banner, per job that may be unsettled, up to a bound of sockets. */
const OPEN_PER_UNSETTLED = 4;
const MAX_OPEN = 2_000;
/** A queue that holds a permit for longer counts as slow, and slow queues share what fast ones leave. */
const FAST_OPEN_MS = 3_000;
const FAST_UNSETTLED_MS = 2_000;

/** Bounds of the deliveries in progress in this process, derived from DELIVERY_CONCURRENCY. */
@Injectable()
export class DispatchLimits {
  /** Jobs in progress; each may hold a socket. */
  readonly open: FairSemaphore;
  readonly unsettled: UnsettledLimit;
  readonly maxWaiting: number = MAX_WAITING;

  constructor({ settings: { DELIVERY_CONCURRENCY: concurrency } }: Config) {
    this.open = new FairSemaphore(
      Math.max(concurrency, Math.min(OPEN_PER_UNSETTLED * concurrency, MAX_OPEN)),
      FAST_OPEN_MS,
    );
    this.unsettled = new UnsettledLimit(new FairSemaphore(concurrency, FAST_UNSETTLED_MS));
  }
}
