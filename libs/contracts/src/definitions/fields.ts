import type { IdPrefix } from '../ids.js';
import { Field, type Fields, type FieldSchema, type FieldValues, type Shape } from './field.js';
import { EXAMPLE_TIME, exampleId, idPattern } from './formats.js';

/** Constructors of fields, as `fields.text(…)`: first the description, then the example. */

type Plain<T, S = T> = Field<T, S, false, 'nothing'>;

/** A field of this type. What is undefined is left out. */
const field = <T, S = T>(of: FieldSchema, more: FieldSchema = {}, shape: Shape | null = null): Plain<T, S> => {
  const given = Object.entries({ ...of, ...more }).filter(([, value]) => value !== undefined);
  return new Field(Object.fromEntries(given), false, 'nothing', null, shape);
};

/** `object`, the constant that names the kind of a resource. */
export const kind = <const K extends string>(name: K, more?: FieldSchema): Plain<K> =>
  field({ type: 'string', enum: [name] }, more);

export const id = (prefix: IdPrefix, description?: string): Plain<string> =>
  field({ type: 'string', pattern: idPattern(prefix), description, example: exampleId(prefix) });

export const text = (description: string, example?: string | null, more?: FieldSchema): Plain<string> =>
  field({ type: 'string', description, example }, more);

export const choice = <const W extends string>(
  words: readonly W[],
  description: string,
  example?: W | null,
): Plain<W> => field({ type: 'string', enum: words, description, example });

export const choices = <const W extends string>(words: readonly W[], description: string): Plain<W[]> =>
  field({ type: 'array', items: { type: 'string', enum: words }, description });

export const flag = (description: string, example?: boolean, more?: FieldSchema): Plain<boolean> =>
  field({ type: 'boolean', description, example }, more);

export const integer = (description: string, example: number | null, more?: FieldSchema): Plain<number> =>
  field({ type: 'integer', description, example }, more);

export const number = (description: string, example: number, more?: FieldSchema): Plain<number> =>
  field({ type: 'number', description, example }, more);

/** ISO 8601 UTC in responses. */
export const time = (description?: string, example: string | null = EXAMPLE_TIME): Plain<string, Date> =>
  field({ type: 'string', format: 'date-time', description, example });

export const texts = (about: string, example: readonly string[] | null, more?: FieldSchema): Plain<string[]> =>
  field({ type: 'array', items: { type: 'string' }, description: about, example }, more);

export const object = <F extends Fields>(shape: Shape<F>, about: string): Plain<FieldValues<F>> =>
  field({ type: 'object', description: about }, {}, shape);

export const objects = <F extends Fields>(shape: Shape<F>, about: string): Plain<FieldValues<F>[]> =>
  field({ type: 'array', description: about }, {}, shape);

/** A value of one of several forms. */
export const oneOf = <T>(about: string, example: T, forms: readonly FieldSchema[]): Plain<T> =>
  field({ oneOf: forms, description: about, example });

/** An object with fields of any name. `values` is the schema of their values; true: any. */
export const map = <T extends object = Record<string, unknown>>(
  description: string,
  example?: object,
  additionalProperties: true | FieldSchema = true,
): Plain<T> => field({ type: 'object', additionalProperties, description, example });

/** An object of integers with these names, without a schema of its own. */
export const integers = <const K extends string>(
  about: string,
  names: readonly K[],
  aboutOf: (name: K) => string,
): Plain<Record<K, number>> => {
  const one = (name: K) => [name, { type: 'integer', description: aboutOf(name), examples: [3] }] as const;
  return field({ type: 'object', properties: Object.fromEntries(names.map(one)), required: names, description: about });
};

/** A column that no response has. `sqlType` as PostgreSQL names it. */
export const column = <T>(sqlType = 'text'): Field<T, T, true, 'nothing'> =>
  new Field({ format: sqlType }, true, 'nothing');
