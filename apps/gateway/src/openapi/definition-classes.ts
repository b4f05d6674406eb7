import type { Type } from '@nestjs/common';
import { ApiProperty, ApiSchema, getSchemaPath, type ApiPropertyOptions } from '@nestjs/swagger';
import { writtenFields } from '#libs/contracts';
import type { Field, FieldSchema, FieldValues, Fields, Shape } from '#libs/contracts';
import { FieldRule, type FieldOptions } from '../rest/validation/field-rule.decorator.js';

/** The class of a response, from which OpenAPI and GraphQL have their types. Its values are views of the definition. */
export const responseClass = <F extends Fields>(shape: Shape<F>): Type<FieldValues<F>> =>
  ofShape(shape, () => buildClass(`${shape.name}Dto`, Object.entries(shape.fields), responseProperty));

/** The class of a request body: the fields that a request may contain when it creates or changes the resource. */
export const bodyClass = <T extends object>(shape: Shape, by: 'create' | 'update'): Type<T> =>
  buildBody(shape, `${shape.name}Body`, by) as Type<T>;

/** The class of a body that has no other name, or of an object in one. The rule of the field of an object checks its members. */
export const requestClass = <F extends Fields>(shape: Shape<F>): Type<FieldValues<F>> =>
  ofShape(shape, () => buildBody(shape, `${shape.name}Dto`, 'create'));

const built = new Map<Shape, Type>();

/** One class for each shape, by which others refer to it. */
function ofShape<F extends Fields>(shape: Shape<F>, build: () => Type): Type<FieldValues<F>> {
  const type = built.get(shape) ?? build();
  built.set(shape, type);
  return type as Type<FieldValues<F>>;
}

function buildBody(shape: Shape, name: string, by: 'create' | 'update'): Type {
  const type = buildClass(name, writtenFields(shape, by), (field) => bodyProperty(field, by));
  if (shape.not) ApiSchema({ not: shape.not } as object)(type);
  return type;
}

function buildClass(name: string, fields: [string, Field][], propertyOf: (field: Field) => PropertyDecorator): Type {
  @Named(name)
  class Dto {}
  for (const [field, definition] of fields) propertyOf(definition)(Dto.prototype, field);
  return Dto;
}

const Named =
  (value: string): ClassDecorator =>
  (type) =>
    void Object.defineProperty(type, 'name', { value });

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
