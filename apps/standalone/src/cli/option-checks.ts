import { UsageError } from './usage-error.js';
import type { CommandInput } from './command.js';

/** The text of an option that the command cannot do without. */
export function requiredOption({ options }: CommandInput, name: string): string {
  const value = options[name];
  if (typeof value !== 'string' || value.trim() === '') throw new UsageError(`--${name} is required.`);
  return value.trim();
}

export function textOption({ options }: CommandInput, name: string, fallback: string): string {
  const value = options[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : fallback;
}

export function checkedPlan(plan: string): string {
  if (plan === 'free' || plan === 'unlimited' || /^[1-9]\d{0,9}$/.test(plan)) return plan;
  throw new UsageError(`A plan is free, unlimited or a number of mails per month; "${plan}" is none of them.`);
}

/** What the operator must know about a plan with an allowance; undefined where there is nothing to say. */
export function planNotice(plan: string): string | undefined {
  if (plan === 'unlimited') return undefined;
  return `Notice: the plan "${plan}" is stored, but this version does not enforce monthly allowances yet.`;
}
