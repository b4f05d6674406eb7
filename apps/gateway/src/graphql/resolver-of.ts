import type { Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Args, Context, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { Refusal, type Page } from '#libs/contracts';
import type { Idempotency } from '#libs/emails';
import type { ConnectionOptions, GraphqlField, Operation, OperationGroup } from '../api/operation.js';
import { Generated } from '../rest/controller-of.js';
import { PageArgs, pageParameters, toConnection } from './connection.js';
import { camelCase, propertiesOf, TEXT_PROPERTY } from './dto/dto-properties.js';
import { dtoOf, givenParameters, queryDtoOf, restQuery, type QueryParameters } from './dto/input-type.js';
import { scalarOf, typeOfDto } from './dto/object-type.js';
import { CallerOf, type GraphqlContext } from './graphql-caller.js';
import { fieldIdempotency, IDEMPOTENCY_KEY } from './idempotency.js';

type Handler = (this: Generated, caller: Principal, ...values: unknown[]) => Promise<unknown>;
/** An argument, or several of a class. */
interface Argument {
  name: string;
  type: Type;
  decorator: ParameterDecorator;
}

/**
 * The resolver of a group of operations: one field each, which does what the operation does and requires the same scope.
 * @param controller that of the group, which declares the scopes
 */
export function resolverOf({ name, path, operations }: OperationGroup, controller: Type): Type {
  @Resolver()
  class OfGroup extends Generated {
    readonly path = path;
  }
  Object.defineProperty(OfGroup, 'name', { value: `${name}OperationsResolver` });
  Reflect.defineMetadata('design:paramtypes', [ModuleRef], OfGroup);
  for (const [handler, operation] of Object.entries(operations))
    if (operation.graphql) addField(OfGroup, { controller, handler, operation, graphql: operation.graphql });
  return OfGroup;
}

function addField(
  resolver: Type,
  {
    controller,
    handler,
    operation,
    graphql,
  }: { controller: Type; handler: string; operation: Operation; graphql: GraphqlField },
): void {
  const prototype = resolver.prototype as Record<string, Handler>;
  const [kind, field] = graphql.field.split('.');
  const args = argumentsOf(operation, graphql);
  prototype[field] = async function (caller, ...values) {
    const given = Object.fromEntries(args.map(({ name }, i) => [name, values[i]]));
    const request = { ...requestOf(operation, graphql, given), ...(await idempotencyOf(operation, caller, given)) };
    const result = await resultOf(this.run(operation, caller, request), graphql);
    const value = graphql.value && result !== null ? graphql.value(result) : result;
    return graphql.list ? toConnection(value as Page<{ id: string }>, given['page'] as PageArgs) : value;
  };
  Reflect.defineMetadata('design:paramtypes', [Object, ...args.map(({ type }) => type)], prototype, field);
  CallerOf(controller as Type<Record<string, unknown>>, handler)(prototype, field, 0);
  args.forEach(({ decorator }, i) => decorator(prototype, field, i + 1));
  const descriptor = Object.getOwnPropertyDescriptor(prototype, field) as TypedPropertyDescriptor<Handler>;
  const options = { description: graphql.about, nullable: graphql.isNullable === true };
  (kind === 'Query' ? Query : Mutation)(() => typeOf(operation, graphql), options)(prototype, field, descriptor);
}

function argumentsOf(
  { path = [], body, query, idempotent }: Operation,
  { arguments: named = {}, names = {}, input, list, read }: GraphqlField,
): Argument[] {
  const parameters = query ? propertiesOf(query) : [];
  const one = (name: string, type: unknown, options: { description?: string; nullable?: boolean }): Argument => ({
    name,
    type: Object,
    decorator: Args(names[name] ?? camelCase(name), { type: () => type as Type, ...options }),
  });
  return [
    ...Object.entries(named).map(([name, description]) =>
      one(name, scalarOf(parameters.find((parameter) => parameter.name === name) ?? { ...TEXT_PROPERTY, name }), {
        description,
        nullable: !path.includes(name),
      }),
    ),
    ...(input
      ? [
          one('input', input.type, {
            description: input.about,
            nullable: body === undefined || input.isOptional === true,
          }),
        ]
      : []),
    ...(idempotent ? [one('idempotencyKey', String, IDEMPOTENCY_KEY)] : []),
    ...(list ? listArguments(list) : []),
    ...(read ? [{ name: 'context', type: Object, decorator: Context() }] : []),
  ];
}

function listArguments({ page = PageArgs, others, filter }: ConnectionOptions): Argument[] {
  const options = filter && { type: () => filter.type, description: filter.about, nullable: true };
  return [
    { name: 'page', type: page, decorator: Args() },
    ...(others ? [{ name: 'others', type: others.type, decorator: Args() }] : []),
    ...(options ? [{ name: 'filter', type: Object, decorator: Args('filter', options) }] : []),
  ];
}

/** The same request as that of REST. `given` are the arguments by the names that they have there. */
function requestOf(
  { path = [], body, query }: Operation,
  { arguments: named = {}, input, list, read }: GraphqlField,
  given: Readonly<Record<string, unknown>>,
): object {
  const valuesOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, given[name]]));
  const parameters = Object.keys(named).filter((name) => !path.includes(name));
  return {
    ...valuesOf(path),
    ...(read
      ? read(given['input'] as never, given['context'] as GraphqlContext)
      : input && body && { body: dtoOf(input.type, given['input'] as object) }),
    ...(query && {
      query: queryDtoOf(query, {
        ...givenParameters(valuesOf(parameters) as Record<string, string>),
        ...(input && !body && restQuery(input.type, given['input'] as object)),
        ...(list && listParameters(list, given)),
      }),
    }),
  };
}

const listParameters = (list: ConnectionOptions, given: Readonly<Record<string, unknown>>): QueryParameters => ({
  ...list.others?.toQuery(given['others'] as never),
  ...(list.filter && restQuery(list.filter.type, given['filter'] as object)),
  ...pageParameters(given['page'] as PageArgs, list),
});

/** The argument with the key, scoped to the field and the parameters of its path. */
async function idempotencyOf(
  { idempotent, path = [], graphql }: Operation,
  caller: Principal,
  given: Readonly<Record<string, unknown>>,
): Promise<{ idempotency?: Idempotency | null }> {
  if (!idempotent || graphql === null) return {};
  const field = [graphql.field.split('.')[1], ...path.map((name) => given[name])].join(':');
  const inputs = graphql.input?.parts?.(given['input'] as never) ?? (graphql.input ? [given['input']] : []);
  return { idempotency: await fieldIdempotency(given['idempotencyKey'] as string | null, { caller, field, inputs }) };
}

function typeOf({ response }: Operation, { type, list }: GraphqlField): Type | [Type] {
  if (list) return list.connection;
  if (type !== undefined) return type;
  if (response === undefined) throw new Error('An operation with a field in GraphQL needs a response');
  return Array.isArray(response) ? [typeOfDto(response[0])] : typeOfDto(response);
}

/** GraphQL answers null where REST answers 404, in fields that may be null. */
async function resultOf(running: Promise<unknown>, { isNullable = false }: GraphqlField): Promise<unknown> {
  try {
    const result = await running;
    if (result === null && !isNullable) throw new Refusal('not_found');
    return result;
  } catch (error) {
    if (isNullable && error instanceof Refusal && error.code === 'not_found') return null;
    throw error;
  }
}
