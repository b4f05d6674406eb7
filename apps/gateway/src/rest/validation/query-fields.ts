import { LIMITS, type IdPrefix } from '#libs/contracts';
import { exampleId, idPattern } from '../../openapi/properties.js';
import { FieldRule, type FieldOptions } from './field-rule.decorator.js';
import {
  idRule,
  limitRule,
  oneOfRule,
  QUERY_ADDRESS_PATTERN,
  queryAddressRule,
  queryDomainRule,
  queryTextRule,
  timestampRule,
} from './query-rules.js';

const QUERY_TEXT_PATTERN = '^[^\\u0000-\\u001f\\u007f]+$';

/** Decorators for query parameters that several lists have. */

export const QueryId = (prefix: IdPrefix, description: string) =>
  FieldRule(idRule(prefix), { type: String, pattern: idPattern(prefix), description, example: exampleId(prefix) });

export const QueryText = (description: string, example?: string) =>
  FieldRule(queryTextRule, {
    type: String,
    pattern: QUERY_TEXT_PATTERN,
    description,
    ...(example === undefined ? {} : { example }),
  });

/**
 * An id of the list, at which a page begins or ends. `pageRequest` refuses an id of another kind.
 * @param prefix the kind of id, for the documentation
 */
export const QueryCursor = (description: string, prefix?: IdPrefix) =>
  FieldRule(queryTextRule, { type: String, pattern: idPattern(prefix), description });

export const QueryAddress = (description: string, example: string) =>
  FieldRule(queryAddressRule, {
    type: String,
    pattern: QUERY_ADDRESS_PATTERN,
    description,
    example,
  });

export const QueryDomain = (description: string, example: string) =>
  FieldRule(queryDomainRule, {
    type: String,
    pattern: '^[^@\\s\\ufeff\\u0000-\\u001f\\u007f]+$',
    description,
    example,
  });

export const QueryTime = (description: string, example = '2026-01-31T09:30:00Z') =>
  FieldRule(timestampRule, { type: String, format: 'date-time', description, example });

export const QueryEnum = (values: readonly string[], options: FieldOptions) =>
  FieldRule(oneOfRule(values), { enum: [...values], ...options });

export const QueryLimit = () =>
  FieldRule(limitRule, {
    description: 'Maximum number of entries per page',
    type: 'integer',
    minimum: 1,
    maximum: LIMITS.listMaximum,
    default: LIMITS.listDefault,
  });
