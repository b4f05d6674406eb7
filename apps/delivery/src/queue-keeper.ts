import type { EmailLedger } from '#libs/emails';
import type { Log } from '#libs/kernel';
import type { Dispatcher } from './dispatcher.js';
import type { MailQueue } from './mail-queue.js';

/** What waits for a shorter time is only stepped over by the claims. */
const WORTH_WRITING_MS = 10_000;
const AGAIN_MS = 5_000;

/** Now and then: patience in memory ends, and unclaimed mail of closed queues is told in the database why it waits. */
export class QueueKeeper {
  /** Of `performance.now()`, by queue: when it is looked at again. */
  private readonly next = new Map<string, number>();
  private running = false;

  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly ledger: EmailLedger,
    private readonly log: Log,
  ) {}

  async sweep(): Promise<void> {
    this.dispatcher.sweep();
    if (this.running) return;
    this.running = true;
    try {
      const closed = this.dispatcher.closed();
      for (const name of this.next.keys()) if (!closed.some((queue) => queue.name === name)) this.next.delete(name);
      for (const queue of closed) await this.holdBack(queue);
    } catch (error) {
      this.log.warn('delivery: holding mail back failed', { reason: (error as Error).message });
    } finally {
      this.running = false;
    }
  }

  private async holdBack({ name, closure, domains }: MailQueue): Promise<void> {
    const now = performance.now();
    if (!closure || (this.next.get(name) ?? 0) > now) return;
    if (closure.until.getTime() - Date.now() < WORTH_WRITING_MS) return;
    const held = await this.ledger.holdBack([...domains], closure.until, closure.reason);
    this.next.set(name, held > 0 ? now : now + AGAIN_MS);
  }
}
