import { ProviderShaping } from './provider-shaping.js';
import type { ShapingOptions } from './provider-shaping.js';
import { readShapingPlan } from './read-shaping-plan.js';

/** By the given plan, or by the shipped one. */
export function createShaping(
  options: Omit<ShapingOptions, 'plan'> & Partial<Pick<ShapingOptions, 'plan'>>,
): ProviderShaping {
  return new ProviderShaping({ ...options, plan: options.plan ?? readShapingPlan({ heloName: '' }) });
}
