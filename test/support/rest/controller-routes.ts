import { RequestMethod, type Type } from '@nestjs/common';
import type { Scope } from '#libs/contracts';
import type { RouteAccess } from '../../../apps/gateway/src/http/route-access.js';
import { CONTROLLERS } from '../../../apps/gateway/src/controllers.js';
import type { ApiOperation } from './api-operations.js';

interface ControllerRoute {
  method: string;
  /** `/emails/{id}`. */
  path: string;
  access: RouteAccess | undefined;
}

/** What the controllers register, described or not. */
export const CONTROLLER_ROUTES: ControllerRoute[] = CONTROLLERS.flatMap(routesOf);

export function routesOf(controller: Type): ControllerRoute[] {
  const prototype = controller.prototype as Record<string, object>;
  return Object.getOwnPropertyNames(prototype)
    .map((name) => prototype[name])
    .filter((handler) => typeof handler === 'function' && Reflect.hasMetadata('method', handler))
    .map((handler) => ({
      method: RequestMethod[Reflect.getMetadata('method', handler) as number],
      path: `/${[pathOf(controller), pathOf(handler)].filter(Boolean).join('/')}`.replaceAll(/:(\w+)/g, '{$1}'),
      access: (Reflect.getMetadata('__fastify_route_config__', handler) as { access?: RouteAccess } | undefined)
        ?.access,
    }));
}

function pathOf(target: object): string {
  return String(Reflect.getMetadata('path', target) ?? '').replaceAll(/^\/|\/$/g, '');
}

/** The routes for clients of Resend, which `openapi.json` does not describe; of their places only those in the path are known. */
export const FACADE_OPERATIONS: ApiOperation[] = CONTROLLER_ROUTES.filter(({ path }) =>
  path.startsWith('/resend/'),
).map(({ method, path, access }) => ({
  name: `${method} ${path}`,
  method,
  path,
  scope: access as Scope,
  spots: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `path:${name}`),
  query: [],
  examples: {},
  body: null,
  takesBody: false,
  bodyExamples: [],
  answer: null,
}));
