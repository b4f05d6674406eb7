import { isId, isLongerThan, LIMITS, parseTimestamp, type Rule, type RuleProblem } from '#libs/contracts';
import { normaliseAddress, parseRecipient } from '#libs/mime';
import { databaseClock } from '#libs/kernel';

const none: RuleProblem[] = [];
export const problem = (code: string, message: string, path = ''): RuleProblem[] => [{ path, code, message }];
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

/** Identifies an entry by its id, or by its address and domain (null for the whole account). */
export type SuppressionTarget = { id: string } | { address: string; domainId: string | null };

/** The target for an id or an address; null if the text is neither. */
export function suppressionTarget(text: string, domainId: string | null = null): SuppressionTarget | null {
  if (isId('sup', text)) return { id: text };
  return suppressionAddressRule(text).length === 0 ? { address: normaliseAddress(text), domainId } : null;
}
