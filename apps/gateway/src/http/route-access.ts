import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { ApiExtension } from '@nestjs/swagger';
import type { Scope } from '#libs/contracts';
import type { Principal } from '#libs/accounts';
import type { FastifyContextConfig, RouteOptions } from 'fastify';

/** Who may enter a route: everybody, or a key that has this scope. */
export type RouteAccess = 'public' | Scope;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
  }
  interface FastifyRequest {
    /** Who asks; null on public routes. Set by the request gate before the body is read. */
    principal: Principal | null;
    /** SHA-256 of the body as it came, made only where there is an idempotency key that asks for it. */
    bodyHash: Buffer | null;
  }
}

/** What `openapi.json` says about the access to an operation; `public` becomes `security: []` there. */
export const ACCESS_EXTENSION = 'x-required-scope';

const declareAccess = (access: RouteAccess) =>
  applyDecorators(declareRoute({ access }), ApiExtension(ACCESS_EXTENSION, access));

/** Adds to what the other decorators of a route declare; the framework's own decorator would replace it. */
export function declareRoute(config: FastifyContextConfig): MethodDecorator {
  return (target, property, descriptor) => {
    const handler = descriptor.value as object;
    const known = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as FastifyContextConfig | undefined;
    RouteConfig({ ...known, ...config })(target, property, descriptor);
  };
}

/** The scope that a key needs for this route; checked before the body is read. */
export const RequiresScope = (scope: Scope) => declareAccess(scope);

/** A route that needs no key. */
export const Public = () => declareAccess('public');

/** Routes that look after access themselves: every GraphQL field names its scope. */
const SELF_GUARDED = new Set(['/graphql']);

/** Deny by default: a route that does not say who may enter stops the start. */
export function requireDeclaredAccess(route: RouteOptions): void {
  if (route.config?.access || SELF_GUARDED.has(route.url)) return;
  throw new Error(`${String(route.method)} ${route.url} must declare @RequiresScope(…) or @Public()`);
}
