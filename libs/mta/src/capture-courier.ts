import { joinInTurns } from '#libs/kernel';
import { Courier } from './courier.js';
import type { CapturedMail, CourierJob, Destination } from './courier.js';
import { NO_REMOTE } from './delivery-outcome.js';
import type { Outcome } from './delivery-outcome.js';

/** Keeps every mail in the built-in inbox; nothing leaves the machine. */
export class CaptureCourier extends Courier {
  #closing = false;
  readonly #running = new Set<Promise<unknown>>();

  constructor(
    private readonly capture: (mail: CapturedMail) => Promise<void>,
    private readonly log: (event: object) => void,
  ) {
    super();
  }

  override async deliver(job: CourierJob): Promise<Outcome[]> {
    const startedAt = new Date();
    if (this.#closing || !(await job.mayStart())) return abandoned(job, startedAt);
    const running = this.#keep(job, startedAt);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  override destination(): Promise<Destination> {
    return Promise.resolve({ queue: 'capture', provider: null });
  }

  override readonly outage = null;

  override async close(deadlineMs: number): Promise<void> {
    this.#closing = true;
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<void>((resolve) => (timer = setTimeout(resolve, deadlineMs)));
    await Promise.race([Promise.allSettled(this.#running), deadline]);
    clearTimeout(timer);
  }

  async #keep(job: CourierJob, startedAt: Date): Promise<Outcome[]> {
    try {
      const octets = await job.content();
      const content = Buffer.isBuffer(octets) ? octets : await joinInTurns(octets);
      const recipients = job.recipients.map((recipient) => recipient.address);
      await this.capture({ id: job.id, mailFrom: job.mailFrom, recipients, content });
      return this.#captured(job, startedAt);
    } catch (error) {
      this.log({ event: 'courier.capture_failed', id: job.id, error: String(error) });
      return this.#failed(job, startedAt);
    }
  }

  #captured(job: CourierJob, startedAt: Date): Outcome[] {
    const endedAt = new Date();
    const reply = { code: null, enhanced: null, text: 'captured, not sent' };
    return job.recipients.map(({ key }) => ({
      key,
      kind: 'delivered',
      reply,
      remote: NO_REMOTE,
      startedAt,
      endedAt,
    }));
  }

  #failed(job: CourierJob, startedAt: Date): Outcome[] {
    const endedAt = new Date();
    const reply = { code: null, enhanced: '4.3.0', text: 'the capture inbox could not store the mail' };
    return job.recipients.map(({ key }) => ({
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

function abandoned(job: CourierJob, startedAt: Date): Outcome[] {
  const endedAt = new Date();
  return job.recipients.map(({ key }) => ({ key, kind: 'abandoned', startedAt, endedAt }));
}
