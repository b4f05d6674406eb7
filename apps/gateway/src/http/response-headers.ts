import type { AllowanceUsage } from '#libs/accounts';
import type { Config } from '#libs/kernel';

/** Headers of every response, including errors. The API serves data only, so nothing may be loaded or framed. */
export function commonHeaders(config: Config): Record<string, string> {
  return {
    'x-api-version': '1',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
    ...(config.settings.PUBLIC_URL.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
    ...(config.settings.DELIVERY_MODE === 'capture' ? { 'x-delivery-mode': 'capture' } : {}),
  };
}

/** The monthly allowance, sent when it is used up; `x-quota-reset` is in seconds, like `ratelimit-reset`. */
export function quotaHeaders(usage: AllowanceUsage, now: Date): Record<string, string> {
  const { limit, remaining, resetsAt } = usage;
  // The plan may have become unlimited since the request was refused.
  if (limit === null || remaining === null) return {};
  return {
    'x-quota-limit': String(limit),
    'x-quota-remaining': String(remaining),
    'x-quota-reset': String(Math.max(1, Math.ceil((resetsAt.getTime() - now.getTime()) / 1_000))),
  };
}
