import type { Type } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import type { Scope } from '#libs/contracts';
import type { Idempotency } from '#libs/emails';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ConnectionOptions } from '../graphql/connection.js';
import type { GraphqlContext } from '../graphql/graphql-caller.js';
import type { OperationOptions } from '../openapi/operation.js';

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** The classes of the services that `run` calls, in the order of its parameters. */
type Services = readonly Type[];
type Instances<S extends Services> = { [I in keyof S]: InstanceType<S[I]> };

/**
 * A request: its caller, the parameters of the path, and the validated body and query. `idempotency` is null without a key, and
 * for an operation that is not idempotent.
 */
export type Request<P, B, Q, M> = { caller: Principal; body: B; query: Q; idempotency: Idempotency | null } & P & M;

/** The field of GraphQL that does the same. */
export interface GraphqlField<O = unknown, M = object> {
  /** `Query.domain`, `Mutation.createDomain`. */
  field: `${'Query' | 'Mutation'}.${string}`;
  about: string;
  /** The parameters of the path and of the query that are arguments with the same names, with their descriptions. */
  arguments?: Readonly<Record<string, string>>;
  /** The names of arguments where they are others, such as `webhookId` for `id`. */
  names?: Readonly<Record<string, string>>;
  /** The input type of the body, or of the query if there is no body, with the description of the argument `input`. */
  input?: InputOptions;
  /** The same as `read` of the operation, from the value of `input`. */
  read?: (input: never, context: GraphqlContext) => M;
  /** The type of the field, where it is not that of the response; in brackets for a list. */
  type?: Type | [Type];
  /** The value of the field, or the page of its connection, where it is not the result. */
  value?: (result: O) => unknown;
  /** The field is a connection of the entries of the page that results. */
  list?: ConnectionOptions;
  /** Null instead of the error `not_found`. */
  isNullable?: boolean;
}

export interface InputOptions {
  type: Type;
  about: string;
  isOptional?: true;
  /** Those that are hashed one by one with an idempotency key, for an input of many megabytes. */
  parts?: (input: never) => readonly unknown[];
}

/**
 * An operation of the API, written once: the route of REST, the field of GraphQL, the required scope and the documentation
 * follow from it. `run` calls libraries; null is the error `not_found`.
 */
export interface Operation<
  P extends object = object,
  B extends object = object,
  Q extends object = object,
  O = unknown,
  S extends Services = Services,
  M extends object = object,
> extends OperationOptions {
  rest: `${Method} /${string}`;
  graphql: GraphqlField<O, M> | null;
  scope: Scope;
  /** Shows states without content: the ability `states.read` is enough for a person. */
  states?: true;
  /** Refused to keys that are limited to domains. */
  wholeAccount?: true;
  /** Their names are those in the path of `rest`. Text that has not the form of the documentation is answered 404. */
  path?: readonly string[];
  /** `Buffer` for the bytes of a body that is not JSON. */
  body?: Type<B>;
  /** Further values for `run`, which gets no body then: for one that it validates itself, and for headers. */
  read?: (request: FastifyRequest, reply: FastifyReply) => M;
  /** In the scope of idempotency keys of REST, where it is not the name of the handler. */
  keyScope?: string;
  /** Named bodies for the documentation. */
  examples?: Readonly<Record<string, { summary?: string; value: object }>>;
  /** Of the route, for what is not declared by the other members. */
  decorators?: readonly MethodDecorator[];
  query?: Type<Q>;
  /** Unknown parameters are refused: a misspelt one would change what the result means. */
  strictQuery?: true;
  uses: S;
  run: (request: Request<P, B, Q, M>, ...services: Instances<S>) => Promise<O | null>;
  /** The response of REST, where it is not the result: another status, headers, another form. */
  respond?: (result: O, reply: FastifyReply) => unknown;
}

/** Infers the types of a request and of the services from the definition. */
export const operation = <
  const P extends string = never,
  B extends object = object,
  Q extends object = object,
  O = unknown,
  const S extends Services = Services,
  M extends object = object,
>(
  definition: Omit<Operation<Record<P, string>, B, Q, O, S, M>, 'path'> & { path?: readonly P[] },
): Operation => definition as unknown as Operation;

/** The operations of one resource, by the names of their handlers. */
export interface OperationGroup {
  /** Part of the operation ids: `Domains` for `domainsFind`. */
  name: string;
  /** Of all routes: `domains`. */
  path: string;
  operations: Readonly<Record<string, Operation>>;
}
