import { isId, LIMITS, writtenFields, type Rule } from '#libs/contracts';
import { suppression } from '../suppression.resource.js';
import { problem } from './field-rules.js';

/** An entry of a bulk request. */
const entryRule: Rule = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return problem('invalid_type', 'must be an object with the field email');
  return writtenFields(suppression, 'create').flatMap(([field, { input }]) => {
    const given = (value as Record<string, unknown>)[field];
    if (given === undefined) return input?.required ? problem('required', 'is required', `.${field}`) : [];
    return input?.rule?.(given).map((found) => ({ ...found, path: `.${field}${found.path}` })) ?? [];
  });
};

const bulkOf =
  (of: string, rule: Rule): Rule =>
  (value) => {
    if (!Array.isArray(value)) return problem('invalid_type', `must be an array of ${of}`);
    if (value.length === 0) return problem('too_few', `must have at least one of the ${of}`);
    if (value.length > LIMITS.bulkEntries) return problem('too_many', `must have at most ${LIMITS.bulkEntries} ${of}`);
    return value.flatMap((item: unknown, i) => rule(item).map((found) => ({ ...found, path: `[${i}]${found.path}` })));
  };

export const suppressionAddressesRule: Rule = bulkOf('addresses', suppression.ruleOf('email'));

export const suppressionEntriesRule: Rule = bulkOf('entries', entryRule);

export const suppressionIdsRule: Rule = bulkOf('ids', (value) =>
  typeof value === 'string' && isId('sup', value)
    ? []
    : problem('invalid_id', 'must be the id of an entry, such as sup_…'),
);

/** The rules for the fields of bulk requests. */
export const bulkSuppressions = {
  addresses: suppressionAddressesRule,
  entries: suppressionEntriesRule,
  ids: suppressionIdsRule,
  /** Whether complaints are removed as well. */
  force: (value: unknown) => (typeof value === 'boolean' ? [] : problem('invalid_type', 'must be true or false')),
};
