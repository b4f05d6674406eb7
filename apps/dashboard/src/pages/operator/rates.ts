import type { AbuseLimitsPartsFragment, OperatorAccountPartsFragment } from '../../graphql/generated.ts';

type Outcomes = OperatorAccountPartsFragment['outcomes'];

/** Half of a limit deserves attention. */
const WARNING_SHARE = 0.5;

function colorOf(part: number, total: number, percent: number): string | undefined {
  const rate = total === 0 ? 0 : (part / total) * 100;
  if (rate > percent) return 'red';
  return rate > percent * WARNING_SHARE ? 'orange' : undefined;
}

/** Colors of both rates, by the limits at which accounts are paused. */
export function rateColors({ recipients, hardBounces, complaints }: Outcomes, limits: AbuseLimitsPartsFragment) {
  return {
    bounces: colorOf(hardBounces, recipients, limits.bouncePercent),
    complaints: colorOf(complaints, recipients, limits.complaintPercent),
  };
}

/** The name of a plan. */
export const planLabel = (plan: string): string =>
  /^\d+$/.test(plan) ? `${new Intl.NumberFormat().format(Number(plan))} a month` : plan;
