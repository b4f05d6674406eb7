import { RESEND } from './resend-route.js';

const PREFIX = `/${RESEND}`;

/**
 * The path that is meant by a request to the host that stands for `/resend` (RESEND_HOST): clients that join URLs
 * absolutely lose the path of their base URL. With the prefix or without it, on any port.
 */
export function resendHostUrl(routed: string, host: string | undefined, resendHost: string | undefined): string {
  if (resendHost === undefined || nameOf(host) !== resendHost) return routed;
  const [path] = routed.split('?', 1);
  return path === PREFIX || path.startsWith(`${PREFIX}/`) ? routed : PREFIX + routed;
}

function nameOf(host = ''): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}
