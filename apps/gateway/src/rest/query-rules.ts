import { isId, LIMITS, type IdPrefix } from '#libs/contracts';
import type { Rule } from '#libs/emails';
import { parseTimestamp } from '../timestamp.js';

/**
 * Rules of query parameters. A value is what the query string has: a text, or an array where the parameter was given
 * twice, which is refused because nobody can say which one was meant.
 */
const refuse = (message: string) => [{ path: '', code: 'invalid_parameter', message }];
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const hasControls = (value: string) => /[\u0000-\u001f\u007f]|\p{Cs}/u.test(value);

export const queryTextRule: Rule = (value) => {
  if (!isText(value)) return refuse('must be given once, with a value');
  return hasControls(value) ? refuse('must not contain control characters') : [];
};

/** A `+` in a query string is a space: an address with a label would be looked for in vain, and nobody would know why. */
export const queryAddressRule: Rule = (value) =>
  isText(value) && /\s/.test(value)
    ? refuse('must be an address without spaces; write + as %2B')
    : queryTextRule(value);

export const limitRule: Rule = (value) =>
  isText(value) && /^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= LIMITS.listMaximum
    ? []
    : refuse(`must be a whole number from 1 to ${LIMITS.listMaximum}`);

export const idRule =
  (prefix: IdPrefix): Rule =>
  (value) =>
    isText(value) && isId(prefix, value) ? [] : refuse(`must be an id such as ${prefix}_…`);

export const wordRule =
  (words: readonly string[]): Rule =>
  (value) =>
    isText(value) && words.includes(value) ? [] : refuse(`must be one of ${words.join(', ')}`);

/** `422`, or `4xx` for the class. */
export const statusRule: Rule = (value) =>
  isText(value) && /^[1-5](\d\d|xx)$/.test(value)
    ? []
    : refuse('must be an HTTP status such as 422, or a class of them such as 4xx');

export const timestampRule: Rule = (value) =>
  isText(value) && parseTimestamp(value) !== null
    ? []
    : refuse('must be an ISO 8601 timestamp with an offset, such as 2026-01-31T09:30:00Z');

const TAG_FILTERS = 10;
const TAG_KEY = /^[A-Za-z0-9_.-]{1,50}$/;

/** `tags[key]=value`, gathered into an object; a value may be empty, as a tag's may. */
export const tagFilterRule: Rule = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('must be given as tags[key]=value');
  const tags = Object.entries(value as Record<string, unknown>);
  if (tags.length > TAG_FILTERS) return refuse(`must have at most ${TAG_FILTERS} keys`);
  return tags.flatMap(([key, text]) => {
    const at = (message: string) => [{ path: `.${key}`, code: 'invalid_parameter', message }];
    if (!TAG_KEY.test(key)) return at('must have a key of 1 to 50 letters, digits, "_", "." or "-"');
    return typeof text === 'string' && !hasControls(text) ? [] : at('must be given once, without control characters');
  });
};
