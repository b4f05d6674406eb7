import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  writtenFields,
  type Field,
  type FieldSchema,
  type FieldValues,
  type Fields,
  type Shape,
} from '#libs/contracts';
import { FieldRule } from '../rest/validation/field-rule.decorator.js';

const responses = new Map<Shape, Type>();

/** The class of a response, from which OpenAPI and GraphQL have their types. Its values are views of the definition. */
export function responseClass<F extends Fields>(shape: Shape<F>): Type<FieldValues<F>> {
  const known = responses.get(shape) ?? buildClass(`${shape.name}Dto`, Object.entries(shape.fields), responseProperty);
  responses.set(shape, known);
  return known as Type<FieldValues<F>>;
}

/** The class of a request body: the fields that a request may contain when it creates or changes the resource. */
export const bodyClass = <T extends object>(shape: Shape, by: 'create' | 'update'): Type<T> =>
  buildClass(`${shape.name}Body`, writtenFields(shape, by), (field) => bodyProperty(field, by)) as Type<T>;

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

const responseProperty = ({ schema, shape }: Field): PropertyDecorator => ApiProperty(optionsOf(schema, shape));

function bodyProperty({ schema, input, shape }: Field, by: 'create' | 'update'): PropertyDecorator {
  if (input === null) throw new Error('A field of a request needs a rule');
  const required = input.required && by === 'create';
  const options = optionsOf({ ...schema, ...input.schema }, shape);
  // Fields that a change leaves out are not changed.
  if (by === 'update' && input.schema.default !== undefined) delete options.default;
  return FieldRule(input.rule, { ...options, required } as ApiPropertyOptions);
}

function optionsOf({ type, ...schema }: FieldSchema, shape: Shape | null): ApiPropertyOptions {
  if (shape === null) return { type, required: schema.default === undefined, ...schema } as ApiPropertyOptions;
  const nested = responseClass(shape);
  return { type: type === 'array' ? [nested] : nested, ...schema } as ApiPropertyOptions;
}
