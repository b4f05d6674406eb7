import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import type { Scope } from '#libs/contracts';
import { RequiresScope } from '../http/route-access.js';

/** The base path for clients of Resend: `{base}/resend`. */
export const RESEND = 'resend';

const PREFIX = `/${RESEND}`;

/**
 * A route for clients of Resend. Its status is 200 even where the native API responds with 201, because the Python client
 * treats any other status as an error. These routes are documented in `docs/resend.md`, not in `openapi.json`.
 */
export const ResendRoute = (scope: Scope) => applyDecorators(RequiresScope(scope), HttpCode(200), ApiExcludeEndpoint());

/**
 * The routed path of a request to RESEND_HOST, the host that stands for `/resend`. Clients that resolve absolute paths
 * against their base URL lose its path, so the prefix is optional there. The port is ignored.
 */
export function resendHostUrl(routed: string, host: string | undefined, resendHost: string | undefined): string {
  if (resendHost === undefined || hostName(host) !== resendHost) return routed;
  const [path] = routed.split('?', 1);
  return path === PREFIX || path.startsWith(`${PREFIX}/`) ? routed : PREFIX + routed;
}

function hostName(host = ''): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}
