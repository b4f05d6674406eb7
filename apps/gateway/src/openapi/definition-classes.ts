import type { Type } from '@nestjs/common';
import { ApiProperty, ApiSchema, getSchemaPath, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  writtenFields,
  type ChangesOf,
  type Field,
  type FieldSchema,
  type FieldValues,
  type Fields,
  type Resource,
  type Shape,
} from '#libs/contracts';
import { FieldRule, type FieldOptions } from '../rest/validation/field-rule.decorator.js';

const responses = new Map<Shape, Type>();
const requests = new Map<Shape, Type>();

/** The class of a response, from which OpenAPI and GraphQL have their types. Its values are views of the definition. */
export function responseClass<F extends Fields>(shape: Shape<F>): Type<FieldValues<F>> {
  const known = responses.get(shape) ?? buildClass(`${shape.name}Dto`, Object.entries(shape.fields), responseProperty);
  responses.set(shape, known);
  return known as Type<FieldValues<F>>;
}

/** The class of a request body: the fields that a request may contain when it creates or changes the resource. */
export const bodyClass = <T extends object>(shape: Shape, by: 'create' | 'update'): Type<T> =>
  buildRequest(shape, `${shape.name}Body`, by) as Type<T>;

/** The class of a body that has no other name, or of an object in one. The rule of the field of an object checks its members. */
export function requestClass<F extends Fields>(shape: Shape<F>): Type<FieldValues<F>> {
  const known = requests.get(shape) ?? buildRequest(shape, `${shape.name}Dto`, 'create');
  requests.set(shape, known);
  return known as Type<FieldValues<F>>;
}

function buildRequest(shape: Shape, name: string, by: 'create' | 'update'): Type<object> {
  const built = buildClass(name, writtenFields(shape, by), (field) => bodyProperty(field, by));
  if (shape.not) ApiSchema({ not: shape.not } as object)(built);
  return built;
}

/** The class of a request body that changes settings of a resource. */
export const changeClass = <R extends Resource>(resource: R): Type<ChangesOf<R>> => bodyClass(resource, 'update');

function buildClass(
  name: string,
  fields: readonly [name: string, field: Field][],
  propertyOf: (field: Field) => PropertyDecorator,
): Type {
  @Named(name)
  class Dto {}
  for (const [field, definition] of fields) propertyOf(definition)(Dto.prototype, field);
  return Dto;
}

const Named =
  (name: string): ClassDecorator =>
  (target) => {
    Object.defineProperty(target, 'name', { value: name });
  };

const responseProperty = ({ schema, shape }: Field): PropertyDecorator =>
  ApiProperty(optionsOf(schema, shape && responseClass(shape)));

function bodyProperty({ schema, input, shape }: Field, by: 'create' | 'update'): PropertyDecorator {
  if (input === null) throw new Error('A field of a request needs a rule');
  const { rule, requiredUnless } = input;
  const options = optionsOf({ ...schema, ...input.schema }, shape && requestClass(shape));
  // Fields that a change leaves out are not changed.
  if (by === 'update' && input.schema.default !== undefined) delete options.default;
  const members = shape === null ? {} : { members: Object.keys(shape.fields) };
  const required = input.required && by === 'create';
  return FieldRule(rule, { ...options, ...members, requiredUnless, required } as FieldOptions);
}

/** A value of several forms has the type `Object`, which the library replaces by them. */
function optionsOf({ type, oneOf, ...schema }: FieldSchema, nested: Type | null): ApiPropertyOptions {
  const required = schema.default === undefined;
  if (oneOf) {
    const forms = nested === null ? oneOf : [{ $ref: getSchemaPath(nested) }, ...oneOf];
    return { type: Object, oneOf: forms, required, ...schema } as ApiPropertyOptions;
  }
  if (nested === null) return { type, required, ...schema } as ApiPropertyOptions;
  return { type: type === 'array' ? [nested] : nested, ...schema } as ApiPropertyOptions;
}
