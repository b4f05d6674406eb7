import { isId, isLongerThan, LIMITS, parseTimestamp, type Rule, type RuleProblem } from '#libs/contracts';
import { normaliseAddress, parseRecipient } from '#libs/mime';
import { databaseClock } from '#libs/kernel';

const none: RuleProblem[] = [];
const problem = (code: string, message: string, path = ''): RuleProblem[] => [{ path, code, message }];
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

/** Accepts null, which means not given. */
const orNull =
  (rule: Rule): Rule =>
  (value) =>
    value === null ? none : rule(value);

/** One address without a display name; surrounding white space is allowed. */
export const suppressionAddressRule: Rule = (value) => {
  if (typeof value !== 'string') return problem('invalid_type', 'must be a string');
  const read = parseRecipient(value.trim());
  if ('problem' in read) return problem('invalid_address', read.problem);
  return value.trim().endsWith('>')
    ? problem('invalid_address', 'must be an address alone, without a display name')
    : none;
};

export const suppressionReasonRule: Rule = orNull((value) => {
  if (typeof value !== 'string') return problem('invalid_type', 'must be a string');
  const { suppressionReasonLength: most } = LIMITS;
  if (isLongerThan(value, most)) return problem('too_long', `must have at most ${most} characters`);
  return CONTROLS.test(value) ? problem('invalid_characters', 'must not contain control characters') : none;
});

export const suppressionExpiryRule: Rule = orNull((value) => {
  const at = typeof value === 'string' ? parseTimestamp(value) : null;
  if (at === null)
    return problem('invalid_timestamp', 'must be an ISO 8601 timestamp with an offset, such as 2026-01-31T09:30:00Z');
  return at.getTime() > databaseClock.now() ? none : problem('in_the_past', 'must be in the future');
});

export const suppressionDomainRule: Rule = orNull((value) =>
  typeof value === 'string' && isId('dom', value)
    ? none
    : problem('invalid_id', 'must be the id of a domain, such as dom_…'),
);

const FIELD_RULES: Readonly<Record<string, Rule>> = {
  email: suppressionAddressRule,
  reason: suppressionReasonRule,
  expires_at: suppressionExpiryRule,
  domain_id: suppressionDomainRule,
};

/** An entry of a bulk request. */
const entryRule: Rule = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return problem('invalid_type', 'must be an object with the field email');
  return Object.entries(FIELD_RULES).flatMap(([field, rule]) => {
    const given = (value as Record<string, unknown>)[field];
    if (given === undefined) return field === 'email' ? problem('required', 'is required', '.email') : none;
    return rule(given).map((found) => ({ ...found, path: `.${field}${found.path}` }));
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

export const suppressionAddressesRule: Rule = bulkOf('addresses', suppressionAddressRule);

export const suppressionEntriesRule: Rule = bulkOf('entries', entryRule);

export const suppressionIdsRule: Rule = bulkOf('ids', (value) =>
  typeof value === 'string' && isId('sup', value)
    ? none
    : problem('invalid_id', 'must be the id of an entry, such as sup_…'),
);

/** Whether complaints are removed as well. */
export const suppressionForceRule: Rule = (value) =>
  typeof value === 'boolean' ? none : problem('invalid_type', 'must be true or false');

/** Identifies an entry by its id, or by its address and domain (null for the whole account). */
export type SuppressionTarget = { id: string } | { address: string; domainId: string | null };

/** The target for an id or an address; null if the text is neither. */
export function suppressionTarget(text: string, domainId: string | null = null): SuppressionTarget | null {
  if (isId('sup', text)) return { id: text };
  return suppressionAddressRule(text).length === 0 ? { address: normaliseAddress(text), domainId } : null;
}
