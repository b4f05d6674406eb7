import { KeyedRateLimit, sleep } from '#libs/kernel';

/** New subscriptions per second and account. */
const PER_SECOND = 500;
const RETRY_MS = 20;

/**
 * New subscriptions wait in line instead of being refused, so that clients that all reconnect at once are served one after
 * the other, and do not use up the requests of their account. The line is bounded by the limits of connections and
 * operations.
 */
export class AdmissionQueue {
  private readonly limit = new KeyedRateLimit({ limit: PER_SECOND });
  /** The last one in line, by account. */
  private readonly lines = new Map<string, Promise<void>>();

  /** Resolves when it is the caller's turn, or at its turn once `isGone`. */
  async admitted(accountId: string, isGone: () => boolean): Promise<void> {
    const line = this.lines.get(accountId);
    if (line === undefined && this.limit.take(accountId).allowed) return;
    const turn = (line ?? Promise.resolve()).then(() => this.token(accountId, isGone));
    this.lines.set(accountId, turn);
    await turn;
    if (this.lines.get(accountId) === turn) this.lines.delete(accountId);
  }

  private async token(accountId: string, isGone: () => boolean): Promise<void> {
    while (!isGone() && !this.limit.take(accountId).allowed) await sleep(RETRY_MS);
  }
}
