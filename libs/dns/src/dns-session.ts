import { UncachedResolver } from './uncached-resolver.js';

/** The resolvers of one check, with one deadline for all of them. */
export class DnsSession {
  private readonly resolvers: UncachedResolver[] = [];
  private readonly deadline: NodeJS.Timeout;
  private cancelled = false;

  constructor(withinMs: number) {
    this.deadline = setTimeout(() => this.cancel(), withinMs);
  }

  /** As `new UncachedResolver`. */
  resolver(servers: readonly string[], scope: 'everything' | 'zone' = 'everything'): UncachedResolver {
    const resolver = new UncachedResolver(servers, scope);
    this.resolvers.push(resolver);
    if (this.cancelled) resolver.cancel();
    return resolver;
  }

  /** Queries without an answer end with `no_answer`. */
  cancel(): void {
    this.cancelled = true;
    for (const resolver of this.resolvers) resolver.cancel();
  }

  close(): void {
    clearTimeout(this.deadline);
  }
}
