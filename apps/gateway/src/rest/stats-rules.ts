import { isId, parseTimestamp, type IdPrefix } from '#libs/contracts';
import type { Rule, RuleProblem } from '#libs/emails';

const MAX_ITEMS = 100;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TAG_GROUP = /^tag:[A-Za-z0-9_.-]{1,50}$/;

const refuse = (message: string): RuleProblem[] => [{ path: '', code: 'invalid_parameter', message }];

/** A comma list of which each item passes; spaces around items do not count. */
const listRule =
  (isItem: (item: string) => boolean, what: string): Rule =>
  (value) => {
    if (typeof value !== 'string' || value === '') return refuse('must be given once, with a value');
    const items = itemsOf(value);
    if (items.length > MAX_ITEMS) return refuse(`must have at most ${MAX_ITEMS} items`);
    return items.every(isItem) ? [] : refuse(`must be a comma-separated list of ${what}`);
  };

/** The items of a comma list that a rule has passed, each once. */
export const itemsOf = (list: string): string[] => [...new Set(list.split(',').map((item) => item.trim()))];

export const wordsRule = (words: readonly string[]): Rule => listRule((item) => words.includes(item), words.join(', '));

export const idsRule = (prefix: IdPrefix): Rule => listRule((item) => isId(prefix, item), `ids such as ${prefix}_…`);

export const groupsRule = (words: readonly string[]): Rule =>
  listRule((item) => words.includes(item) || TAG_GROUP.test(item), `${words.join(', ')} and tag:<key>`);

/** A date, or an instant with its offset (D-3). */
export const dateOrTimestampRule: Rule = (value) =>
  typeof value === 'string' && (isDate(value) || parseTimestamp(value) !== null)
    ? []
    : refuse(
        'must be a date such as 2026-01-31, or an ISO 8601 timestamp with an offset, such as 2026-01-31T09:30:00Z',
      );

export const isDate = (text: string): boolean => DATE.test(text) && parseTimestamp(`${text}T00:00:00Z`) !== null;

export const timezoneRule: Rule = (value) =>
  typeof value === 'string' && zoneNamed(value) !== null
    ? []
    : refuse('must be the name of a time zone, such as Europe/Berlin');

/** A time zone under the one name that programs agree on, or null. */
export function zoneNamed(text: string): string | null {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}
