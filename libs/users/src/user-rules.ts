import { LIMITS, type Rule, type RuleProblem, roleRights } from '#libs/contracts';
import { normaliseAddress, parseMailbox } from '#libs/mime';

const none: RuleProblem[] = [];
const problem = (code: string, message: string): RuleProblem[] => [{ path: '', code, message }];
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;
const MAX_TEXT = 1_000;

/** An address that the user has or gets. */
const userEmailRule: Rule = (value) => {
  if (typeof value !== 'string') return problem('invalid_type', 'must be a string');
  const mailbox = parseMailbox(value);
  if ('problem' in mailbox) return problem('invalid_address', mailbox.problem);
  return value.includes('<') ? problem('invalid_address', 'must be an address alone, without a display name') : none;
};

/** A password that the user chooses. */
export const newPasswordRule: Rule = (value) => {
  if (typeof value !== 'string') return problem('invalid_type', 'must be a string');
  if ([...value].length < LIMITS.passwordMinimum)
    return problem('too_short', `must have at least ${LIMITS.passwordMinimum} characters`);
  return value.length > LIMITS.passwordMaximum
    ? problem('too_long', `must have at most ${LIMITS.passwordMaximum} characters`)
    : none;
};

/** A password, an address or a token that is compared only: a wrong form is a wrong value. */
const credentialRule: Rule = (value) => {
  if (typeof value !== 'string') return problem('invalid_type', 'must be a string');
  return value.length > MAX_TEXT ? problem('too_long', `must have at most ${MAX_TEXT} characters`) : none;
};

const userNameRule: Rule = (value) => {
  if (typeof value !== 'string') return problem('invalid_type', 'must be a string');
  if (value.length > LIMITS.userNameLength)
    return problem('too_long', `must have at most ${LIMITS.userNameLength} characters`);
  return CONTROLS.test(value) ? problem('invalid_characters', 'must not contain control characters') : none;
};

const roleRule: Rule = (value) =>
  (roleRights.all as readonly unknown[]).includes(value)
    ? none
    : problem('invalid_value', `must be one of ${roleRights.all.join(', ')}`);

/** The stored form of an address: all spellings of a user's address are one. */
export function normaliseEmail(text: string): string {
  const mailbox = parseMailbox(text);
  return normaliseAddress('problem' in mailbox ? text : mailbox.address);
}

/** The rules for values of requests about people. */
export const userRules = {
  email: userEmailRule,
  name: userNameRule,
  role: roleRule,
  newPassword: newPasswordRule,
  credential: credentialRule,
};
