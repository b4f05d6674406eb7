const MAX_CLIENTS = 50_000;
const MINUTE_MS = 60_000;

interface Bucket {
  left: number;
  at: number;
}

/**
 * Mails per client: a bucket that holds a minute's worth and fills evenly. Bounded: of too many clients the one that was
 * counted first is forgotten.
 */
export class MailRate {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly perMinute: number,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** False when this client has sent too many lately. */
  take(client: string): boolean {
    const now = this.clock();
    const known = this.buckets.get(client) ?? { left: this.perMinute, at: now };
    const filled = Math.min(this.perMinute, known.left + ((now - known.at) * this.perMinute) / MINUTE_MS);
    this.buckets.set(client, { left: filled < 1 ? filled : filled - 1, at: now });
    if (this.buckets.size > MAX_CLIENTS) this.buckets.delete(this.buckets.keys().next().value as string);
    return filled >= 1;
  }
}
