import { TtlMap } from '#libs/kernel';
import type { Destination } from '#libs/mta';

/** The courier caches MX records; this cache only saves an asynchronous call on the fast path. */
const KEEP_MS = 30_000;
const MAX_KNOWN = 20_000;

/** The destination of each recipient domain, synchronously where it is known. */
export class DestinationCache {
  private readonly known = new TtlMap<string, Destination>(MAX_KNOWN);

  constructor(private readonly ask: (domain: string) => Promise<Destination | null>) {}

  cached(domain: string): Destination | null {
    return this.known.get(domain) ?? null;
  }

  /** Null, and not cached: no name server answers. */
  async find(domain: string): Promise<Destination | null> {
    const destination = await this.ask(domain);
    if (destination !== null) this.known.set(domain, destination, KEEP_MS);
    return destination;
  }
}
