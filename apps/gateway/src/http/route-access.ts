import { RouteConfig } from '@nestjs/platform-fastify';
import type { Scope } from '#libs/contracts';
import type { Principal } from '#libs/accounts';
import type { RouteOptions } from 'fastify';

/** Who may enter a route: everybody, or a key that has this scope. */
export type RouteAccess = 'public' | Scope;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
  }
  interface FastifyRequest {
    /** Who asks; null on public routes. Set by the request gate before the body is read. */
    principal: Principal | null;
    /** The body as it came, kept only where an idempotency key asks for its hash. */
    rawBody: Buffer | null;
  }
}

/** The scope that a key needs for this route; checked before the body is read. */
export const RequiresScope = (scope: Scope) => RouteConfig({ access: scope });

/** A route that needs no key. */
export const Public = () => RouteConfig({ access: 'public' });

/** Routes that look after access themselves: every GraphQL field names its scope. */
const SELF_GUARDED = new Set(['/graphql']);

/** Deny by default: a route that does not say who may enter stops the start. */
export function requireDeclaredAccess(route: RouteOptions): void {
  if (route.config?.access || SELF_GUARDED.has(route.url)) return;
  throw new Error(`${String(route.method)} ${route.url} must declare @RequiresScope(…) or @Public()`);
}
