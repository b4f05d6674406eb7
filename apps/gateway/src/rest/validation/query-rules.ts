import { isId, LIMITS, parseTimestamp, type IdPrefix } from '#libs/contracts';
import type { Rule, RuleProblem } from '#libs/contracts';

/**
 * Rules for query parameters. A value is the text of the query string, or an array when the parameter was given more
 * than once, which is refused as ambiguous.
 */
const invalid = (message: string) => [{ path: '', code: 'invalid_parameter', message }];
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const hasControls = (value: string) => /[\u0000-\u001f\u007f]|\p{Cs}/u.test(value);

export const queryTextRule: Rule = (value) => {
  if (!isText(value)) return invalid('must be given once, with a value');
  return hasControls(value) ? invalid('must not contain control characters') : [];
};

/** An address to look for: without spaces, except in a quoted local part (RFC 5321 §4.1.2). */
const QUERY_ADDRESS =
  /^(?:"(?:[^"\\\u0000-\u001f\u007f]|\\[^\u0000-\u001f\u007f])*"@)?[^\s\ufeff\u0000-\u001f\u007f]+$/;
export const QUERY_ADDRESS_PATTERN = QUERY_ADDRESS.source;

/** A `+` in a query string decodes to a space, so an address with a label must be written with %2B. */
export const queryAddressRule: Rule = (value) =>
  isText(value) && /\s/.test(value) && !QUERY_ADDRESS.test(value)
    ? invalid('must be an address without spaces outside of quotes; write + as %2B')
    : queryTextRule(value);

export const queryDomainRule: Rule = (value) =>
  isText(value) && /[\s@]/.test(value) ? invalid('must be a domain such as example.com') : queryTextRule(value);

export const limitRule: Rule = (value) =>
  isText(value) && /^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= LIMITS.listMaximum
    ? []
    : invalid(`must be a whole number from 1 to ${LIMITS.listMaximum}`);

export const idRule =
  (prefix: IdPrefix): Rule =>
  (value) =>
    isText(value) && isId(prefix, value) ? [] : invalid(`must be an id such as ${prefix}_…`);

export const oneOfRule =
  (values: readonly string[]): Rule =>
  (value) =>
    isText(value) && values.includes(value) ? [] : invalid(`must be one of ${values.join(', ')}`);

/** An HTTP status such as `422`, or a class such as `4xx`. */
export const statusRule: Rule = (value) =>
  isText(value) && /^[1-5](\d\d|xx)$/.test(value)
    ? []
    : invalid('must be an HTTP status such as 422, or a class of them such as 4xx');

const TIMESTAMP = 'an ISO 8601 timestamp with an offset, such as 2026-01-31T09:30:00Z';

export const timestampRule: Rule = (value) =>
  isText(value) && parseTimestamp(value) !== null ? [] : invalidTime(value, TIMESTAMP);

/** A date, or a timestamp with an offset. */
export const dateOrTimestampRule: Rule = (value) =>
  isText(value) && (isDate(value) || parseTimestamp(value) !== null)
    ? []
    : invalidTime(value, `a date such as 2026-01-31, or ${TIMESTAMP}`);

function invalidTime(value: unknown, expected: string): RuleProblem[] {
  return invalid(`must be ${expected}${isText(value) && hasUnencodedPlus(value) ? '; write + as %2B' : ''}`);
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;

export const isDate = (text: string): boolean => DATE.test(text) && parseTimestamp(`${text}T00:00:00Z`) !== null;

/** The instant of a validated timestamp. */
export const instantOf = (timestamp: string | undefined): Date | undefined =>
  timestamp === undefined ? undefined : (parseTimestamp(timestamp) ?? undefined);

const MAX_TAG_FILTERS = 10;
const TAG_KEY = /^[A-Za-z0-9_.-]{1,50}$/;

/** `tags[key]=value`, collected into an object. A value may be empty because a tag may be. */
export const tagFilterRule: Rule = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalid('must be given as tags[key]=value');
  const tags = Object.entries(value as Record<string, unknown>);
  if (tags.length > MAX_TAG_FILTERS) return invalid(`must have at most ${MAX_TAG_FILTERS} keys`);
  return tags.flatMap(([key, text]) => {
    const at = (message: string) => [{ path: `.${key}`, code: 'invalid_parameter', message }];
    if (!TAG_KEY.test(key)) return at('must have a key of 1 to 50 letters, digits, "_", "." or "-"');
    return typeof text === 'string' && !hasControls(text) ? [] : at('must be given once, without control characters');
  });
};

/**
 * Whether a text is a timestamp whose `+` was not encoded in a query, where it means a space (URL Standard section 5.1).
 */
const hasUnencodedPlus = (text: string): boolean =>
  text.includes(' ') && parseTimestamp(text.replace(' ', '+')) !== null;
