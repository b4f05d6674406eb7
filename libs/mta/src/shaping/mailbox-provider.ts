import { readShapingPlan } from './read-shaping-plan.js';
import type { ShapingPlan } from './shaping-plan.js';

/** The provider that the first known of these MX names belongs to; null for none. Names in lower case, no final dot. */
export type ProviderOf = (exchanges: readonly string[]) => string | null;

/** Recognises providers by the longest suffix: consumer and business mail of one company differ in it. */
export function providerOf(plan: Pick<ShapingPlan, 'providers'>): ProviderOf {
  const bySuffix = new Map<string, string>();
  for (const { name, mx } of plan.providers.values()) for (const suffix of mx) bySuffix.set(suffix, name);
  const known = (exchange: string): string | undefined => {
    for (let suffix = exchange; ; suffix = suffix.slice(suffix.indexOf('.') + 1)) {
      const provider = bySuffix.get(suffix);
      if (provider !== undefined || !suffix.includes('.')) return provider;
    }
  };
  return (exchanges) => {
    for (const exchange of exchanges) {
      const provider = known(exchange);
      if (provider !== undefined) return provider;
    }
    return null;
  };
}

let shipped: ProviderOf | undefined;

/** By the shipped providers alone. */
export const mailboxProvider: ProviderOf = (exchanges) => {
  shipped ??= providerOf(readShapingPlan({ heloName: '' }));
  return shipped(exchanges);
};
