import { visibleDomains, type Visibility } from '#libs/contracts';

type VisibilityValues = [accountId: string, domainIds: string[] | null, testOnly: boolean, loginMail: boolean];

/** The values for `visibleEmails`, in order. */
export const visibilityValues = (visibility: Visibility): VisibilityValues => [
  visibility.accountId,
  visibleDomains(visibility),
  visibility.mode === 'test',
  visibility.seesLoginMail === true,
];

/**
 * Condition on row `e` of `emails`: it belongs to the account, and to a domain and a mode that the caller sees, and is no login
 * mail unless the caller is a person. Its values are the parameters from `$first` on.
 */
export const visibleEmails = (first: number): string =>
  `e.account_id = $${first} AND ($${first + 1}::text[] IS NULL OR e.domain_id = ANY ($${first + 1}))
   AND ($${first + 2}::boolean IS FALSE OR e.mode = 'test') AND ($${first + 3}::boolean OR NOT e.is_login_mail)`;
