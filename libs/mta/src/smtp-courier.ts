import { withTimeout, databaseClock } from '#libs/kernel';
import { Courier, type Delivery, type Envelope, type OutgoingMessage } from './courier.js';
import type { Destination, Route } from './routing/route.js';
import { DeliveryAttempt, type AttemptServices } from './delivery-attempt.js';
import { toWireAddress } from './smtp/wire-address.js';

/**
 * How long running attempts may take to report their outcome after their connections were closed, and servers to reply
 * to QUIT.
 */
const LAST_WORDS_MS = 250;

/** Delivers over SMTP to the hosts of its router: the MX of the recipient domain, or one smarthost. */
export class SmtpCourier extends Courier {
  private closing = false;
  private readonly running = new Set<Promise<Delivery>>();
  private readonly services: AttemptServices;

  constructor(services: Omit<AttemptServices, 'isClosing'>) {
    super();
    this.services = { ...services, isClosing: () => this.closing };
  }

  override resolve(domain: string): Promise<Route> {
    // DNS names are in A-labels (RFC 5890 §2.3.2.1). A domain without them fails in `deliver`, with its recipients.
    return this.services.router.route(toWireAddress(`postmaster@${domain}`)?.domain ?? domain);
  }

  override deliver(route: Route, envelope: Envelope, message: OutgoingMessage): Promise<Delivery> {
    if (this.closing) {
      const now = databaseClock.date();
      const outcomes = envelope.recipients.map(
        ({ key }) => ({ key, kind: 'abandoned', startedAt: now, endedAt: now }) as const,
      );
      return Promise.resolve({ outcomes, tlsResults: [] });
    }
    const running = new DeliveryAttempt(route, envelope, message, this.services).run();
    this.running.add(running);
    void running.then(() => this.running.delete(running));
    return running;
  }

  override destination(domain: string): Promise<Destination | null> {
    return this.services.router.destination(domain);
  }

  override get outage(): string | null {
    return this.services.router.outage;
  }

  override async close(deadlineMs: number): Promise<void> {
    this.closing = true;
    const { pool, router } = this.services;
    pool.drain();
    await withTimeout(Promise.allSettled(this.running), deadlineMs, () => undefined);
    router.cancel();
    if (this.running.size > 0) pool.destroy();
    await withTimeout(Promise.allSettled(this.running), LAST_WORDS_MS, () => undefined);
    await withTimeout(pool.emptied(), LAST_WORDS_MS, () => undefined);
    pool.destroy();
  }
}
