import type { Type } from '@nestjs/common';
import { Field, Float, ID, Int, ObjectType, type FieldMiddleware } from '@nestjs/graphql';
import type { GraphQLScalarType } from 'graphql';
import { enumOf, isEnumWord } from '../enums.js';
import { DateTime } from '../scalars.js';
import { camelCase, propertiesOf, type DtoProperty } from './dto-properties.js';

/** A class with GraphQL decorators, a scalar or an enum; in brackets for a list. */
export type FieldType = Type | GraphQLScalarType | object;

/** Deviations from the DTO. */
export interface OutputField<T> {
  type?: FieldType | [FieldType];
  description?: string;
  nullable?: boolean;
  /** The value, where it is not the property of the DTO. */
  value?: (source: T) => unknown;
}

interface ObjectOptions<T> {
  description: string;
  fields?: { [K in keyof T]?: OutputField<T> };
  /** Fields of the DTO that GraphQL shows elsewhere. */
  omit?: readonly (keyof T)[];
}

const objectTypes = new Map<unknown, Type>();

/**
 * The object type of a REST response: the same fields in camelCase, with the same descriptions, so that a field has one
 * definition. Resolvers return the response of REST as it is. Types of nested DTOs are found by their class. `object`, the
 * kind of the resource, is `__typename` in GraphQL.
 */
export function objectType<T extends object>(name: string, dto: Type<T>, options: ObjectOptions<T>): Type<T> {
  const { fields = {}, omit = [], description } = options;
  @ObjectType(name, { description })
  class Derived {}
  const type: Type = named(Derived, name);
  for (const property of propertiesOf(dto)) {
    const key = property.name as keyof T & string;
    if (key === ('object' as string) || omit.includes(key)) continue;
    declareOutput(type, property, (fields as Partial<Record<string, OutputField<T>>>)[key] ?? {});
  }
  objectTypes.set(dto, type);
  return type as Type<T>;
}

/** Gives a class its name, for messages. */
export const named = (type: Type, name: string): Type => Object.defineProperty(type, 'name', { value: name });

function declareOutput<T>(type: Type, property: DtoProperty, { value, ...given }: OutputField<T>): void {
  const middleware: FieldMiddleware[] =
    value === undefined ? [] : [({ source }) => Promise.resolve(value(source as T))];
  Field(() => given.type ?? listed(property, scalarOf(property) ?? objectTypeOf(property)), {
    name: camelCase(property.name),
    description: given.description ?? inGraphql(property.description),
    nullable: given.nullable ?? (property.isNullable || !property.isRequired),
    middleware,
  })(type.prototype as object, property.name);
}

export const listed = (property: DtoProperty, type: FieldType): FieldType | [FieldType] =>
  property.isList ? [type] : type;

/** The object type that was declared for a DTO class. */
export function typeOfDto(dto: Type): Type {
  const known = objectTypes.get(dto);
  if (known === undefined) throw new Error(`${dto.name} has no GraphQL type`);
  return known;
}

function objectTypeOf({ name, type }: DtoProperty): FieldType {
  const known = objectTypes.get(type);
  if (known === undefined) throw new Error(`The GraphQL type of the field ${name} must be given`);
  return known;
}

const NAMES_A_THING = /(^|_)(?<!^(?:content|message)_)ids?$|^(after|before)$|[a-z]Id$/;

/** The scalar or enum of a field; undefined for an object. */
export function scalarOf({ name, type, isTime, words }: DtoProperty): FieldType | undefined {
  if (words.length > 0) return enumOf(words) ?? String;
  if (isTime) return DateTime;
  if (NAMES_A_THING.test(name)) return ID;
  switch (type) {
    case String:
    case 'string':
      return String;
    case Boolean:
    case 'boolean':
      return Boolean;
    case 'integer':
      return Int;
    case Number:
    case 'number':
      return Float;
    default:
      return undefined;
  }
}

const SNAKE_CASE = /`[a-z]+(?:_[a-z0-9]+)+`/g;

/** The description of a REST field with the GraphQL names of other fields. Words of enums are not names of fields. */
export const inGraphql = (description: string): string =>
  description.replace(SNAKE_CASE, (name) => (isEnumWord(name.slice(1, -1)) ? name : camelCase(name)));
