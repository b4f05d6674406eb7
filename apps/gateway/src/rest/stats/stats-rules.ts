import { isId, type IdPrefix } from '#libs/contracts';
import type { Rule, RuleProblem } from '#libs/contracts';

const MAX_ITEMS = 100;
const TAG_GROUP = /^tag(?:s\.|:)([A-Za-z0-9_.-]{1,50})$/;

const invalid = (message: string): RuleProblem[] => [{ path: '', code: 'invalid_parameter', message }];

/** A comma-separated list; spaces around items are ignored. */
const listRule =
  (isItem: (item: string) => boolean, expected: string): Rule =>
  (value) => {
    if (typeof value !== 'string' || value === '') return invalid('must be given once, with a value');
    const items = itemsOf(value);
    if (items.length > MAX_ITEMS) return invalid(`must have at most ${MAX_ITEMS} items`);
    return items.every(isItem) ? [] : invalid(`must be a comma-separated list of ${expected}`);
  };

/** The distinct items of a validated comma-separated list. */
export const itemsOf = (list: string): string[] => [...new Set(list.split(',').map((item) => item.trim()))];

/** Whether a metric is a rate and not a count. */
export const isShare = (metric: string): boolean => /(?:_rate|_of_settled)$/.test(metric);

export const listOfValuesRule = (values: readonly string[]): Rule =>
  listRule((item) => values.includes(item), values.join(', '));

export const listOfIdsRule = (prefix: IdPrefix): Rule =>
  listRule((item) => isId(prefix, item), `ids such as ${prefix}_…`);

export const groupsRule = (groups: readonly string[]): Rule =>
  listRule((item) => groups.includes(item) || TAG_GROUP.test(item), `${groups.join(', ')} and tags.<key>`);

/** The key of `tags.<key>` or its alias `tag:<key>`; null for another group. */
export const tagKeyOf = (group: string): string | null => TAG_GROUP.exec(group)?.[1] ?? null;

export const timezoneRule: Rule = (value) =>
  typeof value === 'string' && canonicalTimezone(value) !== null
    ? []
    : invalid('must be the name of a time zone, such as Europe/Berlin');

/** The canonical name of a time zone, or null if there is no such zone. */
export function canonicalTimezone(text: string): string | null {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}
