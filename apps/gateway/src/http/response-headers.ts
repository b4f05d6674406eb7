import type { Config } from '#libs/kernel';

/** What every response carries, errors included. The API serves data, never a page: nothing may be loaded or framed. */
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
