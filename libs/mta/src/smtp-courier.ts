import { PassingSet } from '#libs/kernel';
import { Courier } from './courier.js';
import type { CourierJob, Destination } from './courier.js';
import { DeliveryAttempt } from './delivery-attempt.js';
import type { AttemptServices } from './delivery-attempt.js';
import type { Outcome } from './delivery-outcome.js';

/** How long running attempts get to tell their outcome after their lines were cut, and peers to answer QUIT. */
const LAST_WORDS_MS = 250;

/** Talks SMTP to the hosts that its router names: the MX of the recipients' domain, or one smarthost. */
export class SmtpCourier extends Courier {
  #closing = false;
  readonly #running = new PassingSet<Promise<Outcome[]>>();
  readonly #services: AttemptServices;

  constructor(services: Omit<AttemptServices, 'isClosing'>) {
    super();
    this.#services = { ...services, isClosing: () => this.#closing };
  }

  override deliver(job: CourierJob): Promise<Outcome[]> {
    if (this.#closing) {
      const now = new Date();
      return Promise.resolve(
        job.recipients.map(({ key }) => ({ key, kind: 'abandoned', startedAt: now, endedAt: now })),
      );
    }
    const running = new DeliveryAttempt(job, this.#services).run();
    this.#running.add(running);
    void running.then(() => this.#running.delete(running));
    return running;
  }

  override destination(domain: string): Promise<Destination | null> {
    return this.#services.router.destination(domain);
  }

  override get outage(): string | null {
    return this.#services.router.outage;
  }

  override async close(deadlineMs: number): Promise<void> {
    this.#closing = true;
    const { pool, router } = this.#services;
    pool.drain();
    await within(deadlineMs, Promise.allSettled(this.#running));
    router.cancel();
    if (this.#running.size > 0) pool.destroy();
    await within(LAST_WORDS_MS, Promise.allSettled(this.#running));
    await within(LAST_WORDS_MS, pool.emptied());
    pool.destroy();
  }
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
