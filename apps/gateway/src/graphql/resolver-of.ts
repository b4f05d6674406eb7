import type { Type } from '@nestjs/common';
import { Args, Context, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { Refusal, type Page } from '#libs/contracts';
import type { GraphqlField, Operation, OperationGroup } from '../api/operation.js';
import { generated, type Generated } from '../rest/controller-of.js';
import { listArguments, listParameters, toConnection, type Argument, type PageArgs } from './connection.js';
import { camelCase, propertiesOf, TEXT_PROPERTY } from './dto/dto-properties.js';
import { dtoOf, givenParameters, queryDtoOf, restQuery } from './dto/input-type.js';
import { scalarOf, typeOfDto } from './dto/object-type.js';
import { CallerOf, type GraphqlContext } from './graphql-caller.js';
import { fieldIdempotency, IDEMPOTENCY_KEY } from './idempotency.js';

/** The arguments of a field, by the names that REST has for them. */
type Given = Readonly<Record<string, unknown>>;
type Handler = (this: Generated, caller: Principal, ...values: unknown[]) => Promise<unknown>;

/**
 * The resolver of a group of operations: one field each, which does what the operation does and requires the same scope.
 * @param controller that of the group, which declares the scopes
 */
export function resolverOf({ name, path, operations }: OperationGroup, controller: Type): Type {
  const resolver = generated(`${name}OperationsResolver`, path);
  Resolver()(resolver);
  for (const [handler, operation] of Object.entries(operations))
    addField(resolver, operation, CallerOf(controller as Type<Record<string, unknown>>, handler));
  return resolver;
}

/** @param caller the decorator of the parameter */
function addField(resolver: Type, operation: Operation, caller: ParameterDecorator): void {
  const { graphql } = operation;
  if (graphql === null) return;
  const prototype = resolver.prototype as Record<string, Handler>;
  const [kind, field] = graphql.field.split('.');
  const args = argumentsOf(operation, graphql);
  prototype[field] = async function (principal, ...values) {
    const given = Object.fromEntries(args.map(({ name }, i) => [name, values[i]]));
    const request = { ...requestOf(operation, graphql, given), ...(await idempotencyOf(operation, principal, given)) };
    const running = this.run(operation, principal, request);
    const result = await (graphql.isNullable ? running.catch(orNull) : running);
    const value = graphql.value && result !== null ? graphql.value(result) : result;
    return graphql.list ? toConnection(value as Page<{ id: string }>, given['page'] as PageArgs) : value;
  };
  Reflect.defineMetadata('design:paramtypes', [Object, ...args.map(({ type }) => type)], prototype, field);
  [caller, ...args.map(({ decorator }) => decorator)].forEach((decorator, i) => decorator(prototype, field, i));
  const descriptor = Object.getOwnPropertyDescriptor(prototype, field) as TypedPropertyDescriptor<Handler>;
  const options = { description: graphql.about, nullable: graphql.isNullable === true };
  (kind === 'Query' ? Query : Mutation)(() => typeOf(operation, graphql), options)(prototype, field, descriptor);
}

function argumentsOf({ path = [], body, query, idempotent }: Operation, graphql: GraphqlField): Argument[] {
  const { arguments: named = {}, names = {}, input, list, read } = graphql;
  const one = (name: string, type: unknown, options: { description?: string; nullable?: boolean }): Argument => ({
    name,
    type: Object,
    decorator: Args(names[name] ?? camelCase(name), { type: () => type as Type, ...options }),
  });
  const parameters = query ? propertiesOf(query) : [];
  const scalar = (name: string) =>
    scalarOf(parameters.find((parameter) => parameter.name === name) ?? { ...TEXT_PROPERTY, name });
  const isOptional = body === undefined || input?.isOptional === true;
  return [
    ...Object.entries(named).map(([name, description]) =>
      one(name, scalar(name), { description, nullable: !path.includes(name) }),
    ),
    ...(input ? [one('input', input.type, { description: input.about, nullable: isOptional })] : []),
    ...(idempotent ? [one('idempotencyKey', String, IDEMPOTENCY_KEY)] : []),
    ...(list ? listArguments(list) : []),
    ...(read ? [{ name: 'context', type: Object, decorator: Context() }] : []),
  ];
}

/** The same request as that of REST. */
function requestOf({ path = [], body, query }: Operation, graphql: GraphqlField, given: Given): object {
  const { arguments: named = {}, input, list, read } = graphql;
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

/** The argument with the key, scoped to the field and the parameters of its path. */
async function idempotencyOf(operation: Operation, caller: Principal, given: Given): Promise<object> {
  const { idempotent, path = [], graphql } = operation;
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
const orNull = (error: unknown): null => {
  if (error instanceof Refusal && error.code === 'not_found') return null;
  throw error;
};
