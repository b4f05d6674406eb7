import { isLongerThan, LIMITS, type Rule, type RuleProblem } from '#libs/contracts';
import { parseMailbox } from '#libs/mime';

const none: RuleProblem[] = [];
const problem = (code: string, message: string, path = ''): RuleProblem[] => [{ path, code, message }];
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

export const accountNameRule: Rule = (value) => {
  if (typeof value !== 'string') return problem('invalid_type', 'must be a string');
  if (value.trim() === '') return problem('too_short', 'must not be empty');
  if (isLongerThan(value, LIMITS.accountNameLength))
    return problem('too_long', `must have at most ${LIMITS.accountNameLength} characters`);
  return CONTROLS.test(value) ? problem('invalid_characters', 'must not contain control characters') : none;
};

/** `free`, `unlimited` or a number of units per month. */
export const planRule: Rule = (value) =>
  typeof value === 'string' && /^(?:free|unlimited|[1-9]\d{0,9})$/.test(value)
    ? none
    : problem('invalid_plan', 'must be free, unlimited or a number of units per month');

/** A list of addresses without display names, which may be empty. */
export const notifyAddressesRule: Rule = (value) => {
  if (!Array.isArray(value)) return problem('invalid_type', 'must be an array of addresses');
  if (value.length > LIMITS.notifyAddresses)
    return problem('too_many', `must have at most ${LIMITS.notifyAddresses} addresses`);
  return value.flatMap((address: unknown, i) => {
    const message = addressProblem(address);
    return message === null ? none : problem('invalid_address', message, `[${i}]`);
  });
};

function addressProblem(value: unknown): string | null {
  if (typeof value !== 'string') return 'must be a string';
  const mailbox = parseMailbox(value.trim());
  if ('problem' in mailbox) return mailbox.problem;
  return value.includes('<') ? 'must be an address alone, without a display name' : null;
}
