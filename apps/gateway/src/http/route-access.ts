import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { ApiExtension } from '@nestjs/swagger';
import { ABILITIES, type Ability, type Scope } from '#libs/contracts';
import type { Principal } from '#libs/accounts';
import type { LoggedIn } from '#libs/users';
import type { FastifyContextConfig, RouteOptions } from 'fastify';

/**
 * Access to a route: public; with a key or a session that has this scope; with any session (`session`), or with one that has
 * this ability.
 */
export type RouteAccess = 'public' | 'session' | Ability | Scope;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
    /** Refused to keys that are limited to domains. */
    wholeAccount?: boolean;
    /** Shows states without content: the ability `states.read` is enough for a person. */
    states?: boolean;
    /** A key needs no scope for this route if the parameter `id` of the path is its own id. */
    ownKey?: boolean;
    /** The path holds a token, which the handler frees of everything that mail clients have added, such as line ends. */
    tokenInPath?: boolean;
  }
  interface FastifyRequest {
    /** The authenticated principal; null on public routes. Set by the request guard before the body is read. */
    principal: Principal | null;
    /** The person whose session the request has; null for a key and on public routes. */
    viewer: LoggedIn | null;
    /** SHA-256 of the raw body; only computed for requests with an idempotency key. */
    bodyHash: Buffer | null;
    /** Size of a JSON body. */
    bodyBytes: number;
  }
}

/** The access of an operation in `openapi.json`; `public` becomes `security: []` there. */
export const ACCESS_EXTENSION = 'x-required-scope';

const declareAccess = (access: RouteAccess) =>
  applyDecorators(declareRoute({ access }), ApiExtension(ACCESS_EXTENSION, access));

/** Merges with the configuration of other decorators; `RouteConfig` alone would replace it. */
export function declareRoute(config: FastifyContextConfig): MethodDecorator {
  return (target, property, descriptor) => {
    const handler = descriptor.value as object;
    const known = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as FastifyContextConfig | undefined;
    RouteConfig({ ...known, ...config })(target, property, descriptor);
  };
}

/** The scope that a key needs for this route; checked before the body is read. */
export const RequiresScope = (scope: Scope) => declareAccess(scope);

/** Concerns the account, not some of its domains: refused to keys that are limited to domains, before anything is looked up. */
export const WholeAccount = () => declareRoute({ wholeAccount: true });

/** The ability `states.read` is enough for a person: nothing of the response is content of an email. */
export const ReadsStates = () => declareRoute({ states: true });

/** Every key may use this route for itself (`:id` is its own id), without the scope. */
export const OwnKeyAllowed = () => declareRoute({ ownKey: true });

/** Control characters in the path are not refused: the handler reads a token from it by `readTokenText`. */
export const TokenInPath = () => declareRoute({ tokenInPath: true });

/** A route that needs no key. */
export const Public = () => declareAccess('public');

/** For everybody who is logged in to the dashboard, also without an account. */
export const RequiresSession = () => declareRoute({ access: 'session' });

/** For those who are logged in to the dashboard and have this ability in the account of the request. */
export const RequiresAbility = (ability: Ability) => declareRoute({ access: ability });

export const isAbility = (access: Ability | Scope): access is Ability =>
  (ABILITIES as readonly string[]).includes(access);

/** Routes that check access themselves: every GraphQL field declares its scope. */
const SELF_GUARDED = new Set(['/graphql']);

/** Deny by default: the program does not start with a route that declares no access. */
export function requireDeclaredAccess(route: RouteOptions): void {
  if (route.config?.access) return;
  if (SELF_GUARDED.has(route.url)) {
    route.config = { ...route.config, body: 'graphql' };
    return;
  }
  throw new Error(
    `${String(route.method)} ${route.url} must declare @RequiresScope(…), @RequiresSession(), @RequiresAbility(…) or @Public()`,
  );
}
