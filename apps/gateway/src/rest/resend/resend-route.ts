import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import type { Scope } from '#libs/contracts';
import { RequiresScope } from '../../http/route-access.js';

/** Where existing clients of Resend are pointed to: `{base}/resend`. */
export const RESEND = 'resend';

/**
 * A route of the façade. It answers 200 also where the native one answers 201, because the Python client takes nothing
 * else for success; it is documented in `docs/resend.md`, not in `openapi.json`.
 */
export const ResendRoute = (scope: Scope) => applyDecorators(RequiresScope(scope), HttpCode(200), ApiExcludeEndpoint());
