import { readShapingPlan } from './read-shaping-plan.js';
import type { ProviderPlan, ShapingPlan } from './shaping-plan.js';

/** Recognises mailbox providers by the longest suffix of an MX name: consumer and business mail of one company differ in it. */
export class MailboxProviders {
  readonly #bySuffix = new Map<string, ProviderPlan>();

  constructor({ providers }: Pick<ShapingPlan, 'providers'>) {
    for (const provider of providers.values()) for (const suffix of provider.mx) this.#bySuffix.set(suffix, provider);
  }

  /** Without an operator's file. */
  static shipped(): MailboxProviders {
    return new MailboxProviders(readShapingPlan({ heloName: '' }));
  }

  /** The one that the first known of these names belongs to; null for none. In lower case, without final dot. */
  of(exchanges: readonly string[]): ProviderPlan | null {
    for (const exchange of exchanges) {
      const provider = this.#known(exchange);
      if (provider !== undefined) return provider;
    }
    return null;
  }

  #known(exchange: string): ProviderPlan | undefined {
    for (let suffix = exchange; ; suffix = suffix.slice(suffix.indexOf('.') + 1)) {
      const provider = this.#bySuffix.get(suffix);
      if (provider !== undefined || !suffix.includes('.')) return provider;
    }
  }
}
