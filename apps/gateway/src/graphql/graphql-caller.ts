import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { type Principal, type PrincipalSession, permissions } from '#libs/accounts';
import { Refusal, SCOPES, type Ability, type Scope } from '#libs/contracts';
import type { FastifyContextConfig } from 'fastify';
import type { RouteAccess } from '../http/route-access.js';

/**
 * The caller of an operation. A resolver gets the principal only by naming the REST operation of its field, or the scope that
 * its field requires, so a field without a check cannot read any account.
 */
export class GraphqlCaller {
  constructor(private readonly principal: Principal | null | undefined) {}

  /** @throws Refusal `missing_api_key`, `restricted_api_key`. */
  allowed(scope: Scope): Principal {
    const principal = this.required();
    permissions.requireScope(principal, scope);
    return principal;
  }

  /** For fields that show states without content. @throws Refusal as `allowed` */
  allowedStates(scope: Scope): Principal {
    const principal = this.required();
    permissions.requireStates(principal, scope);
    return principal;
  }

  /**
   * For fields that only people may use. @throws Refusal `missing_api_key`; `restricted_api_key` for an API key;
   * `session_refused`.
   */
  allowedAs(ability: Ability): Principal & { session: PrincipalSession } {
    const principal = this.required();
    return { ...principal, session: permissions.requireAbility(principal, ability) };
  }

  /** The same checks as those of a REST route. @throws Refusal `missing_api_key`, `restricted_api_key`. */
  allowedBy({ access, states, wholeAccount, ownKey }: FastifyContextConfig, id: unknown): Principal {
    const principal = this.required();
    if (access === undefined || !isScope(access)) throw new Error('The operation of a field must require a scope');
    if (ownKey && id === principal.keyId) return principal;
    (states ? permissions.requireStates : permissions.requireScope)(principal, access);
    if (wholeAccount) permissions.requireWholeAccount(principal);
    return principal;
  }

  private required(): Principal {
    if (!this.principal) throw new Refusal('missing_api_key');
    return this.principal;
  }
}

const isScope = (access: RouteAccess): access is Scope => (SCOPES as readonly string[]).includes(access);

/** The context of resolvers, over HTTP and WebSocket; created per operation. */
export interface GraphqlContext {
  caller: GraphqlCaller;
  /** Returns a signal that is aborted when the client has left; absent over WebSocket. */
  signal?: () => AbortSignal;
}

/** A REST operation: a controller and the name of its method. */
export interface RestOperation {
  controller: Type;
  handler: string;
  /** The field shows less than the operation: only states. */
  states?: boolean;
}

const twins = new Map<object, Map<string, RestOperation>>();

/** The REST operation of each field of a resolver class, by the name of the method. */
export const twinsOf = (resolver: Type): ReadonlyMap<string, RestOperation> =>
  twins.get(resolver.prototype as object) ?? new Map<string, RestOperation>();

const principal = createParamDecorator(
  ({ controller, handler, states }: RestOperation, context: ExecutionContext): Principal => {
    const execution = GqlExecutionContext.create(context);
    const { caller } = execution.getContext<GraphqlContext>();
    const { id } = execution.getArgs<{ id?: unknown }>();
    const access = accessOf({ controller, handler });
    return caller.allowedBy(states ? { ...access, states } : access, id);
  },
);

function accessOf({ controller, handler }: RestOperation): FastifyContextConfig {
  const method = (controller.prototype as Record<string, object>)[handler];
  return Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, method) as FastifyContextConfig;
}

/**
 * The principal, as the parameter of a resolver method. Names the REST operation that the field repeats: the field requires
 * the same scope, and the table in docs/graphql-operations.md lists both.
 */
export function CallerOf<C extends Type>(
  controller: C,
  handler: keyof InstanceType<C> & string,
  options: Pick<RestOperation, 'states'> = {},
): ParameterDecorator {
  const operation = { controller, handler, ...options };
  return (target, property, index) => {
    const known = twins.get(target) ?? new Map<string, RestOperation>();
    twins.set(target, known.set(String(property), operation));
    principal(operation)(target, property, index);
  };
}
