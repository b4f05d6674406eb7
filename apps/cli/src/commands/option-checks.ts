import { planRule } from '#libs/accounts';
import { UsageError, type CommandInput } from './command.js';

/** The text of a mandatory option. @throws UsageError */
export function requiredOption({ options }: CommandInput, name: string): string {
  const value = options[name];
  if (typeof value !== 'string' || value.trim() === '') throw new UsageError(`--${name} is required.`);
  return value.trim();
}

export function textOption({ options }: CommandInput, name: string, fallback: string): string {
  const value = options[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : fallback;
}

/** The values of an option that takes several, separated by commas; undefined when it is not given. */
export function listOption({ options }: CommandInput, name: string): string[] | undefined {
  const value = options[name];
  return typeof value === 'string' ? value.split(',').map((part) => part.trim()) : undefined;
}

/** Applies the rule of a field to an option. @throws UsageError with the message of the rule */
export function checkedOption(name: string, value: unknown, rule: (value: unknown) => { message: string }[]): void {
  const problems = value === undefined ? [] : rule(value);
  if (problems.length > 0) throw new UsageError(`--${name} ${problems[0].message}.`);
}

/** @throws UsageError */
export function checkedPlan(plan: string): string {
  if (planRule(plan).length === 0) return plan;
  throw new UsageError(`A plan is free, unlimited or a number of mails per month; "${plan}" is none of them.`);
}
