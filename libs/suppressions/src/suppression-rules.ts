import { isId, LIMITS, parseTimestamp } from '#libs/contracts';
import { normaliseAddress, parseMailbox } from '#libs/mime';

/** One problem of a field: `path` says where inside it (`''`, `[3].email`), `message` follows the field's name. */
export interface SuppressionProblem {
  path: string;
  code: string;
  message: string;
}
type Rule = (value: unknown) => SuppressionProblem[];

const none: SuppressionProblem[] = [];
const one = (code: string, message: string, path = ''): SuppressionProblem[] => [{ path, code, message }];
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

/** Null is a value that says "not given". */
const orNull =
  (rule: Rule): Rule =>
  (value) =>
    value === null ? none : rule(value);

/** One address, with white space around it or without (D-49), but without a display name. */
export const suppressionAddressRule: Rule = (value) => {
  if (typeof value !== 'string') return one('invalid_type', 'must be a string');
  const read = parseMailbox(value.trim());
  if ('problem' in read) return one('invalid_address', read.problem);
  return value.includes('<') ? one('invalid_address', 'must be an address alone, without a display name') : none;
};

export const suppressionReasonRule: Rule = orNull((value) => {
  if (typeof value !== 'string') return one('invalid_type', 'must be a string');
  const { suppressionReasonLength: most } = LIMITS;
  if (value.length > most) return one('too_long', `must have at most ${most} characters`);
  return CONTROLS.test(value) ? one('invalid_characters', 'must not contain control characters') : none;
});

export const suppressionExpiryRule: Rule = orNull((value) => {
  const at = typeof value === 'string' ? parseTimestamp(value) : null;
  if (at === null)
    return one('invalid_timestamp', 'must be an ISO 8601 timestamp with an offset, such as 2026-01-31T09:30:00Z');
  return at.getTime() > Date.now() ? none : one('in_the_past', 'must be in the future');
});

export const suppressionDomainRule: Rule = orNull((value) =>
  typeof value === 'string' && isId('dom', value)
    ? none
    : one('invalid_id', 'must be the id of a domain, such as dom_…'),
);

const FIELD_RULES: Readonly<Record<string, Rule>> = {
  email: suppressionAddressRule,
  reason: suppressionReasonRule,
  expires_at: suppressionExpiryRule,
  domain_id: suppressionDomainRule,
};

/** An entry as people write it, in a batch. */
const entryRule: Rule = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return one('invalid_type', 'must be an object with the field email');
  return Object.entries(FIELD_RULES).flatMap(([field, rule]) => {
    const given = (value as Record<string, unknown>)[field];
    if (given === undefined) return field === 'email' ? one('required', 'is required', '.email') : none;
    return rule(given).map((problem) => ({ ...problem, path: `.${field}${problem.path}` }));
  });
};

const bulkOf =
  (of: string, rule: Rule): Rule =>
  (value) => {
    if (!Array.isArray(value)) return one('invalid_type', `must be an array of ${of}`);
    if (value.length === 0) return one('too_few', `must have at least one of the ${of}`);
    if (value.length > LIMITS.bulkEntries) return one('too_many', `must have at most ${LIMITS.bulkEntries} ${of}`);
    return value.flatMap((item: unknown, i) =>
      rule(item).map((problem) => ({ ...problem, path: `[${i}]${problem.path}` })),
    );
  };

export const suppressionAddressesRule: Rule = bulkOf('addresses', suppressionAddressRule);

export const suppressionEntriesRule: Rule = bulkOf('entries', entryRule);

export const suppressionIdsRule: Rule = bulkOf('ids', (value) =>
  typeof value === 'string' && isId('sup', value)
    ? none
    : one('invalid_id', 'must be the id of an entry, such as sup_…'),
);

/** Whether complaints are taken away too. */
export const suppressionForceRule: Rule = (value) =>
  typeof value === 'boolean' ? none : one('invalid_type', 'must be true or false');

/** Which entry is meant: an id, or an address of the whole account's list or of one sending domain's. */
export type SuppressionTarget = { id: string } | { address: string; domainId: string | null };

/** What a caller means by an id or an address; null for what is neither. */
export function suppressionTarget(written: string, domainId: string | null = null): SuppressionTarget | null {
  if (isId('sup', written)) return { id: written };
  return suppressionAddressRule(written).length === 0 ? { address: normaliseAddress(written), domainId } : null;
}
