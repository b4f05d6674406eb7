import { LIMITS } from '#libs/contracts';

/** Units a month that a plan allows: 3,000 for `free`, null for `unlimited`, else the number that the plan is. */
export function monthlyLimit(plan: string): number | null {
  if (plan === 'unlimited') return null;
  return plan === 'free' ? LIMITS.freePlanUnits : Number(plan);
}
