import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query, Req, Res, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ApiBody } from '@nestjs/swagger';
import type { Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation, OperationGroup } from '../api/operation.js';
import { Caller } from '../http/caller.js';
import { ReadsStates, RequiresScope, WholeAccount } from '../http/route-access.js';
import { Operation as Documented } from '../openapi/operation.js';
import { isPathParameter } from '../openapi/path-parameters.js';
import { requestIdempotency } from './emails/idempotency.js';
import { orNotFound } from './or-not-found.js';
import { BodyPipe } from './validation/body-pipe.js';
import { QueryPipe, StrictQueryPipe } from './validation/query-pipe.js';

const METHODS = { GET: Get, POST: Post, PATCH: Patch, PUT: Put, DELETE: Delete };
type Handler = (this: Generated, caller: Principal, reply: FastifyReply, ...given: unknown[]) => Promise<unknown>;

/** Base of the generated controllers and resolvers: finds the services of an operation. */
export class Generated {
  private readonly services = new Map<Operation, object[]>();

  constructor(private readonly modules: ModuleRef) {}
  declare path: string;

  /**
   * @param values the parameters of the path, and `body`, `query` and `idempotency`
   * @throws Refusal `not_found` for null, and for a parameter of the path that has another form
   */
  async run(operation: Operation, caller: Principal, values: object): Promise<unknown> {
    const { rest, path = [], uses, run } = operation;
    const route = `${rest.split(' ', 1)[0]} /${this.path}${rest.slice(rest.indexOf('/'))}`;
    for (const name of path)
      if (!isPathParameter(name, route, (values as Record<string, unknown>)[name])) throw new Refusal('not_found');
    const request = { caller, body: {}, query: {}, idempotency: null, ...values };
    let services = this.services.get(operation);
    if (!services) {
      services = uses.map((service) => this.modules.get<object>(service, { strict: false }));
      this.services.set(operation, services);
    }
    return orNotFound(await run(request, ...services));
  }
}

/** A class for the operations below a path, without handlers. */
export function generated(name: string, path: string): Type<Generated> {
  const type = { [name]: class extends Generated {} }[name];
  type.prototype.path = path;
  Reflect.defineMetadata('design:paramtypes', [ModuleRef], type);
  return type;
}

/** The controller of a group of operations: one route each. */
export function controllerOf({ name, path, operations }: OperationGroup): Type {
  const controller = generated(`${name}Controller`, path);
  Controller(path)(controller);
  for (const [handler, operation] of Object.entries(operations)) addRoute(controller, handler, operation);
  return controller;
}

function addRoute(controller: Type, handler: string, operation: Operation): void {
  const prototype = controller.prototype as Record<string, Handler>;
  const given = givenTo(operation);
  const { keyScope = handler } = operation;
  prototype[handler] = async function (caller, reply, ...values) {
    const named = Object.fromEntries(given.map(({ name }, i) => [name, values[i]]));
    const request = named['request'] as FastifyRequest;
    if (operation.idempotent) {
      const scope = [`${this.path}.${keyScope}`, ...(operation.path ?? []).map((name) => named[name])].join(':');
      named['idempotency'] = requestIdempotency(request, caller, scope);
    }
    if (operation.read) Object.assign(named, operation.read(request, reply));
    const result = await this.run(operation, caller, named);
    return operation.respond ? operation.respond(result, reply) : result;
  };
  // The name is part of the operation id.
  Object.defineProperty(prototype[handler], 'name', { value: handler });
  const parameters = [Caller(), Res({ passthrough: true }), ...given.map(({ decorator }) => decorator)];
  // From the last to the first, as compilers apply them: the documentation has this order.
  for (let i = parameters.length - 1; i >= 0; i -= 1) parameters[i](prototype, handler, i);
  Reflect.defineMetadata('design:paramtypes', [Object, Object, ...given.map(({ type }) => type)], prototype, handler);
  const descriptor = Object.getOwnPropertyDescriptor(prototype, handler) as TypedPropertyDescriptor<Handler>;
  for (const decorator of routeDecorators(operation)) decorator(prototype, handler, descriptor);
}

/** The values of a request that `run` gets, in the order of the parameters of the handler. */
function givenTo({ path = [], body, query, strictQuery, idempotent, read }: Operation) {
  return [
    ...path.map((name) => ({ name, type: String as unknown, decorator: Param(name) })),
    ...(body === undefined || read ? [] : [bodyArgument(body)]),
    ...(query === undefined
      ? []
      : [{ name: 'query', type: query as unknown, decorator: Query(strictQuery ? StrictQueryPipe : QueryPipe) }]),
    ...(idempotent || read ? [{ name: 'request', type: Object as unknown, decorator: Req() }] : []),
  ];
}

/** Bytes have no class that validates them. */
const bodyArgument = (type: Type): { name: string; type: unknown; decorator: ParameterDecorator } =>
  type === (Buffer as unknown)
    ? { name: 'body', type: Object, decorator: Body() }
    : { name: 'body', type, decorator: Body(BodyPipe) };

function routeDecorators(operation: Operation): MethodDecorator[] {
  const { rest, scope, states, wholeAccount, body, examples, decorators = [], ...documented } = operation;
  const [method, path] = rest.split(' ') as [keyof typeof METHODS, string];
  return [
    METHODS[method](path),
    RequiresScope(scope),
    ...(states ? [ReadsStates()] : []),
    ...(wholeAccount ? [WholeAccount()] : []),
    ...(body && examples ? [ApiBody({ type: body, examples })] : []),
    Documented(documented),
    ...decorators,
  ];
}
