import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { Refusal, type Scope } from '#libs/contracts';
import type { FastifyRequest } from 'fastify';
import { RequiresScope } from '../http/route-access.js';
import { pathOfRoute } from '../http/route-table.js';
import { isResendPath } from './resend-errors.js';

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

/** The libraries of Resend name themselves so: `resend-go/3.1.1`, `resend-python:2.51.0`. */
const RESEND_LIBRARY = /^resend-[a-z]{2,20}[/:]/i;

/**
 * Libraries that resolve paths relative to their base URL (Go, Ruby) leave these routes if it has no final slash: they would
 * use the native API, whose ids and responses differ, without an error.
 * @throws Refusal that names the setting, for a library of Resend at any other path
 */
export function assertResendBaseUrl(request: FastifyRequest): void {
  if (!RESEND_LIBRARY.test(request.headers['user-agent'] ?? '') || isResendPath(pathOfRoute(request))) return;
  throw new Refusal(
    'validation_error',
    [],
    `The base URL of this Resend client must end with ${PREFIX}/, including the final slash.`,
  );
}

function hostName(host = ''): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}
