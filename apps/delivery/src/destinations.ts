import type { Destination } from '#libs/mta';

/** MX records are cached by the courier; this only spares the fast path a promise. */
const KEEP_MS = 30_000;
const MAX_KNOWN = 20_000;

/** Which queue a recipient domain belongs to, at once where that is known. */
export class Destinations {
  private readonly known = new Map<string, { destination: Destination; until: number }>();

  constructor(private readonly ask: (domain: string) => Promise<Destination | null>) {}

  at(domain: string): Destination | null {
    const found = this.known.get(domain);
    if (found === undefined) return null;
    if (found.until > performance.now()) return found.destination;
    this.known.delete(domain);
    return null;
  }

  /** Null, and not remembered: nobody can say now. */
  async find(domain: string): Promise<Destination | null> {
    const destination = await this.ask(domain);
    if (destination === null) return null;
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    this.known.set(domain, { destination, until: performance.now() + KEEP_MS });
    return destination;
  }
}
