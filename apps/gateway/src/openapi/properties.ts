import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import type { IdPrefix } from '#libs/contracts';

/** Decorators for the fields of responses. They fix the schema; a DTO adds the description and the example. */

type Options = Omit<ApiPropertyOptions, 'type' | 'enum' | 'description' | 'example'>;

export const EXAMPLE_TIME = '2026-01-31T09:30:00.000Z';
/** The form of an id (decision 013); without a prefix, that of any id. */
export const idPattern = (prefix = '[a-z]{2,4}'): string => `^${prefix}_[0-9a-f]{32}$`;
/** A domain name in lower case with A-labels, as responses have it. */
export const DOMAIN_PATTERN = '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$';
/** Controls and line separators, which no text in one line has. */
const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
/** Text in one line, which may be empty. */
export const LINE_PATTERN = `^[^${CONTROLS}]*$`;
/** Text in one line with at least one character that is no white space. */
export const NOT_BLANK_PATTERN = `^[^${CONTROLS}]*[^${CONTROLS}\\s\\ufeff][^${CONTROLS}]*$`;
/** Text of several lines. */
export const TEXT_PATTERN = '^[^\\u0000]*$';
export const HTTPS_PATTERN = '^https://[^\\s#@\\\\]+$';
export const TAG_KEY_PATTERN = '^[A-Za-z0-9_.-]{1,50}$';
/** One address, without a display name; its domain may be internationalised. */
export const ADDRESS_FORMAT = 'idn-email';
/** `address` or `Name <address>`, RFC 5322 section 3.4. */
export const MAILBOX_FORMAT = 'mailbox';
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
