import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import type { IdPrefix } from '#libs/contracts';

/** Decorators for the fields of responses. They fix the schema; a DTO adds the description and the example. */

type Options = Omit<ApiPropertyOptions, 'type' | 'enum' | 'description' | 'example'>;

export const EXAMPLE_TIME = '2026-01-31T09:30:00.000Z';
/** The form of an id (decision 013); without a prefix, that of any id. */
export const idPattern = (prefix = '[a-z]{2,4}'): string => `^${prefix}_[0-9a-f]{32}$`;
/** A domain name in lower case with A-labels, as responses have it. */
export const DOMAIN_PATTERN = '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$';
export const exampleId = (prefix: IdPrefix): string => `${prefix}_01978c0e5f7b7c3a9d21f0b64c1e88aa`;

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

export const NullableTimeProperty = (description: string, example?: string | null) =>
  property({ type: String, format: 'date-time', nullable: true }, { description, example });
