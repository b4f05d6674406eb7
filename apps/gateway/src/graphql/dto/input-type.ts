import type { Type } from '@nestjs/common';
import { Field, InputType } from '@nestjs/graphql';
import { parseBody } from '../../rest/validation/body-pipe.js';
import { QueryPipe } from '../../rest/validation/query-pipe.js';
import { camelCase, propertiesOf, type DtoProperty } from './dto-properties.js';
import { inGraphql, listed, named, scalarOf, type FieldType } from './object-type.js';

/** Deviations from the DTO. */
export interface InputField {
  type?: FieldType | [FieldType];
  description?: string;
  required?: boolean;
  /** A list that REST takes as text separated by commas. */
  separatedByCommas?: true;
  /** The value for REST. */
  toRest?: (value: never) => unknown;
}

interface InputOptions<T> {
  description: string;
  fields?: { [K in keyof T]?: InputField };
  /** Fields that GraphQL has elsewhere, such as the cursors of a list. */
  omit?: readonly (keyof T)[];
}

interface Converter {
  name: string;
  isNullable: boolean;
  convert: (value: unknown) => unknown;
}
interface DerivedInput {
  type: Type;
  dto: Type<object>;
  converters: Converter[];
}

const byDto = new Map<unknown, DerivedInput>();
const byType = new Map<unknown, DerivedInput>();

/**
 * The input type for a REST body or for query parameters: the same fields in camelCase, with the same descriptions. Null
 * stands for an absent field, unless REST accepts null for it.
 */
export function inputType<T extends object>(name: string, dto: Type<T>, options: InputOptions<T>): Type<T> {
  const { fields = {}, omit = [], description } = options;
  @InputType(name, { description })
  class Derived {}
  const type: Type = named(Derived, name);
  const derived: DerivedInput = { type, dto, converters: [] };
  for (const property of propertiesOf(dto)) {
    const key = property.name as keyof T & string;
    if (omit.includes(key)) continue;
    const given = (fields as Partial<Record<string, InputField>>)[key] ?? {};
    declareInput(type, property, given);
    derived.converters.push(converterOf(property, given));
  }
  byDto.set(dto, derived);
  byType.set(type, derived);
  return type as Type<T>;
}

function declareInput(type: Type, property: DtoProperty, given: InputField): void {
  const derivedType = () => {
    const basic = isFlag(property) ? Boolean : (scalarOf(property) ?? byDto.get(property.type)?.type);
    if (basic === undefined) throw new Error(`The GraphQL type of the field ${property.name} must be given`);
    return given.separatedByCommas ? [basic] : listed(property, basic);
  };
  Field(() => given.type ?? derivedType(), {
    name: camelCase(property.name),
    description: given.description ?? inGraphql(property.description),
    nullable: !(given.required ?? (property.isRequired && !property.isNullable)),
  })(type.prototype as object, property.name);
}

/** A query parameter that takes the words `true` and `false`. */
const isFlag = ({ words }: DtoProperty): boolean =>
  words.length > 0 && words.every((word) => word === 'true' || word === 'false');

function converterOf(property: DtoProperty, given: InputField): Converter {
  const { name, isNullable } = property;
  return { name, isNullable, convert: conversionOf(property, given) };
}

function conversionOf(property: DtoProperty, { toRest, separatedByCommas }: InputField): Converter['convert'] {
  if (toRest !== undefined) return toRest as Converter['convert'];
  if (separatedByCommas) return (values) => (values as string[]).join(',');
  // A parameter that only takes `true` is absent otherwise.
  if (isFlag(property)) return (value) => (value || property.words.includes('false') ? String(value) : undefined);
  return (value) => toRestValue(value, byDto.get(property.type));
}

function toRestValue(value: unknown, nested: DerivedInput | undefined): unknown {
  if (Array.isArray(value)) return value.map((one) => toRestValue(one, nested));
  if (value instanceof Date) return value.toISOString();
  return nested === undefined || value === null ? value : convert(nested, value as object);
}

function convert({ converters }: DerivedInput, input: object): Record<string, unknown> {
  const given = input as Record<string, unknown>;
  const body: Record<string, unknown> = {};
  for (const { name, isNullable, convert: convertValue } of converters) {
    const value = given[name];
    if (value === undefined || (value === null && !isNullable)) continue;
    const converted = value === null ? null : convertValue(value);
    if (converted !== undefined) body[name] = converted;
  }
  return body;
}

/** The REST body for a value of an input type, which has the names of the properties: the framework converts them. */
export function restBody(type: Type, input: object | null | undefined): Record<string, unknown> {
  const derived = byType.get(type);
  if (derived === undefined) throw new Error(`${type.name} is no input type of a DTO`);
  return convert(derived, input ?? {});
}

/** The validated DTO for a value of an input type. @throws Refusal that lists all problems, as REST does */
export function dtoOf<T extends object>(type: Type<T>, input: object | null | undefined): T {
  const body = restBody(type, input);
  return parseBody(body, byType.get(type)?.dto as Type<T>);
}

/** Query parameters; the entries of a map are `name[key]` in the URL. */
export type QueryParameters = Readonly<Record<string, string | Record<string, string> | undefined>>;

/** The query parameters for a value of an input type. */
export const restQuery = (type: Type, input: object | null | undefined): QueryParameters =>
  restBody(type, input) as QueryParameters;

/** Query parameters for arguments: GraphQL gives null for an argument that a client leaves out. */
export const givenParameters = (args: Readonly<Record<string, string | null | undefined>>): QueryParameters =>
  Object.fromEntries(Object.entries(args).filter((one): one is [string, string] => typeof one[1] === 'string'));

const QUERY = new QueryPipe();

/** The validated query parameters for a filter and a page. @throws Refusal `invalid_parameter`, as REST does */
export function queryDtoOf<T extends object>(dto: Type<T>, parameters: QueryParameters): T {
  const query: Record<string, string> = {};
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value === 'string') query[name] = value;
    else for (const [key, text] of Object.entries(value ?? {})) query[`${name}[${key}]`] = text;
  }
  return QUERY.transform(query, { type: 'query', metatype: dto }) as T;
}
