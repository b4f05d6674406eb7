import { readThrottlingPlan } from '../throttling/plan/read-throttling-plan.js';
import type { ProviderPlan, ThrottlingPlan } from '../throttling/plan/throttling-plan.js';

/**
 * Finds mailbox providers by the longest suffix of an MX name. The consumer and business services of one company differ
 * in it.
 */
export class MailboxProviders {
  private readonly bySuffix = new Map<string, ProviderPlan>();

  constructor({ providers }: Pick<ThrottlingPlan, 'providers'>) {
    for (const provider of providers.values()) for (const suffix of provider.mx) this.bySuffix.set(suffix, provider);
  }

  /** Without an operator's file. */
  static shipped(): MailboxProviders {
    return new MailboxProviders(readThrottlingPlan({ heloName: '' }));
  }

  /** The provider of the first known name; null if none is known. Names are in lower case, without the final dot. */
  of(exchanges: readonly string[]): ProviderPlan | null {
    for (const exchange of exchanges) {
      const provider = this.known(exchange);
      if (provider !== undefined) return provider;
    }
    return null;
  }

  private known(exchange: string): ProviderPlan | undefined {
    for (let suffix = exchange; ; suffix = suffix.slice(suffix.indexOf('.') + 1)) {
      const provider = this.bySuffix.get(suffix);
      if (provider !== undefined || !suffix.includes('.')) return provider;
    }
  }
}
