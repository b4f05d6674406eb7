import { withTimeout, databaseClock, yielding } from '#libs/kernel';
import { Courier, type CapturedMail, type Delivery, type Envelope, type OutgoingMessage } from './courier.js';
import type { Destination, Route } from './routing/route.js';
import { NO_REMOTE, type Outcome } from './delivery-outcome.js';

const CAPTURE: Route = { kind: 'endpoints', endpoints: [], expiresAt: Infinity };

/** Stores every message in the capture inbox. Nothing leaves the machine. */
export class CaptureCourier extends Courier {
  private closing = false;
  private readonly running = new Set<Promise<unknown>>();

  constructor(
    private readonly capture: (mail: CapturedMail) => Promise<void>,
    private readonly log: (event: object) => void,
  ) {
    super();
  }

  override resolve(): Promise<Route> {
    return Promise.resolve(CAPTURE);
  }

  override async deliver(_route: Route, envelope: Envelope, message: OutgoingMessage): Promise<Delivery> {
    const startedAt = databaseClock.date();
    if (this.closing || !(await message.permit())) return { outcomes: abandoned(envelope, startedAt), tlsResults: [] };
    const running = this.keep(envelope, message, startedAt);
    this.running.add(running);
    try {
      return { outcomes: await running, tlsResults: [] };
    } finally {
      this.running.delete(running);
    }
  }

  override destination(): Promise<Destination> {
    return Promise.resolve({ queue: 'capture', provider: null });
  }

  override readonly outage = null;

  override async close(deadlineMs: number): Promise<void> {
    this.closing = true;
    await withTimeout(Promise.allSettled(this.running), deadlineMs, () => undefined);
  }

  private async keep(envelope: Envelope, message: OutgoingMessage, startedAt: Date): Promise<Outcome[]> {
    try {
      const octets = await message.content();
      const content = Buffer.isBuffer(octets) ? octets : await yielding.concat(octets);
      const recipients = envelope.recipients.map((recipient) => recipient.address);
      await this.capture({ id: message.id, mailFrom: envelope.mailFrom, recipients, content });
      return this.captured(envelope, startedAt);
    } catch (error) {
      this.log({ event: 'courier.capture_failed', id: message.id, error: String(error) });
      return this.failed(envelope, startedAt);
    }
  }

  private captured({ recipients }: Envelope, startedAt: Date): Outcome[] {
    const endedAt = databaseClock.date();
    const reply = { code: null, enhanced: null, text: 'captured, not sent' };
    return recipients.map(({ key }) => ({
      key,
      kind: 'delivered',
      reply,
      remote: NO_REMOTE,
      startedAt,
      endedAt,
    }));
  }

  private failed({ recipients }: Envelope, startedAt: Date): Outcome[] {
    const endedAt = databaseClock.date();
    const reply = { code: null, enhanced: '4.3.0', text: 'the capture inbox could not store the mail' };
    return recipients.map(({ key }) => ({
      key,
      kind: 'deferred',
      certainty: 'not_sent',
      phase: 'capture',
      reply,
      remote: NO_REMOTE,
      class: 'deferral',
      startedAt,
      endedAt,
    }));
  }
}

function abandoned({ recipients }: Envelope, startedAt: Date): Outcome[] {
  const endedAt = databaseClock.date();
  return recipients.map(({ key }) => ({ key, kind: 'abandoned', startedAt, endedAt }));
}
