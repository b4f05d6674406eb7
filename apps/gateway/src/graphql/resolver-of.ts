import type { Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import type { GraphqlField, Operation, OperationGroup } from '../api/operation.js';
import { Generated } from '../rest/controller-of.js';
import { dtoOf } from './dto/input-type.js';
import { typeOfDto } from './dto/object-type.js';
import { CallerOf } from './graphql-caller.js';

type Handler = (this: Generated, caller: Principal, ...given: unknown[]) => Promise<unknown>;

/**
 * The resolver of a group of operations: one field each, which does what the operation does and requires the same scope.
 * @param controller that of the group, which declares the scopes
 */
export function resolverOf({ name, operations }: OperationGroup, controller: Type): Type {
  @Resolver()
  class OfGroup extends Generated {}
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
  const path = operation.path ?? [];
  prototype[field] = async function (caller, ...values) {
    const named = Object.fromEntries(path.map((name, i) => [name, values[i]]));
    const body = graphql.input && dtoOf(graphql.input.type, values[path.length] as object);
    return resultOf(this.run(operation, caller, { ...named, ...(body && { body }) }), graphql);
  };
  Reflect.defineMetadata('design:paramtypes', [Object, ...path.map(() => String), Object], prototype, field);
  CallerOf(controller as Type<Record<string, unknown>>, handler)(prototype, field, 0);
  path.forEach((name, i) =>
    Args(name, { type: () => ID, description: graphql.arguments?.[name] })(prototype, field, i + 1),
  );
  if (graphql.input) {
    const { type, about } = graphql.input;
    Args('input', { type: () => type, description: about })(prototype, field, path.length + 1);
  }
  const descriptor = Object.getOwnPropertyDescriptor(prototype, field) as TypedPropertyDescriptor<Handler>;
  const options = { description: graphql.about, nullable: graphql.isNullable === true };
  (kind === 'Query' ? Query : Mutation)(() => typeOf(operation, graphql), options)(prototype, field, descriptor);
}

function typeOf({ response }: Operation, { type }: GraphqlField): Type | [Type] {
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
