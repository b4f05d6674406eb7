import type { AllowanceUsage } from '#libs/accounts';

/** The state of the monthly allowance beside its refusal (D-53); `x-quota-reset` is in seconds, as `ratelimit-reset` is. */
export function quotaHeaders(usage: AllowanceUsage, now: Date): Record<string, string> {
  const { limit, remaining, resetsAt } = usage;
  // The plan became unlimited in this very second.
  if (limit === null || remaining === null) return {};
  return {
    'x-quota-limit': String(limit),
    'x-quota-remaining': String(remaining),
    'x-quota-reset': String(Math.max(1, Math.ceil((resetsAt.getTime() - now.getTime()) / 1_000))),
  };
}
