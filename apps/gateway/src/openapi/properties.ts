import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { formats, type IdPrefix } from '#libs/contracts';

export const { ADDRESS_FORMAT, EXAMPLE_TIME, exampleId, idPattern, TAG_KEY_PATTERN, TEXT_PATTERN } = formats;

/** Decorators for the fields of responses. They fix the schema; a DTO adds the description and the example. */

type Options = Omit<ApiPropertyOptions, 'type' | 'enum' | 'description' | 'example'>;

/** The names of the properties of a map. The decorators' types are of OpenAPI 3.0, which lacks it. */
export const namedBy = (pattern: string): object => ({ propertyNames: { pattern } });
/** Values of an enumeration, separated by commas. */
export const listPattern = (values: readonly string[]): string => {
  const one = `(?:${values.map((value) => value.replaceAll('.', '\\.')).join('|')})`;
  return `^${one}(?:,${one})*$`;
};
/**
 * A time in the examples of fields that accept the next 72 hours only. The documentation page replaces it by the time in an
 * hour.
 */
export const EXAMPLE_SCHEDULE = '2026-02-01T08:00:00.000Z';

const property = (schema: object, texts: object = {}, options: object = {}): PropertyDecorator => {
  const given = Object.entries({ ...schema, ...texts, ...options }).filter(([, value]) => value !== undefined);
  return ApiProperty(Object.fromEntries(given) as ApiPropertyOptions);
};

/** `object`, the constant that names the kind of a resource. */
export const KindProperty = (kind: string, texts?: { example: string }) => property({ enum: [kind] }, texts);

/** `deleted`, always true. */
export const DeletedProperty = () => property({ enum: [true] });

export const IdProperty = (prefix: IdPrefix, description?: string, options?: Options) =>
  property({ example: exampleId(prefix), pattern: idPattern(prefix) }, { description }, options);

export const TextProperty = (description: string, example?: string, options?: Options) =>
  property({}, { description, example }, options);

/** The example may be null; left out, there is none. */
export const NullableTextProperty = (description: string, example?: string | null, options?: Options) =>
  property({ type: String, nullable: true }, { description, example }, options);

export const TextsProperty = (description: string, example?: string[], options?: Options) =>
  property({ type: [String] }, { description, example }, options);

export const FlagProperty = (description: string, example?: boolean) => property({}, { description, example });

export const IntegerProperty = (description: string, example: number, options?: Options) =>
  property({ type: 'integer' }, { description, example }, options);

export const EnumProperty = (values: readonly unknown[], description: string, example?: string) =>
  property({ enum: [...values] }, { description, example });

export const TimeProperty = (description?: string, example?: string) =>
  property({ format: 'date-time' }, { description, example });
