import { NOTICE_TAG } from '../message/system-mail-kinds.js';
import { visibleDomains, type Visibility } from '#libs/contracts';

type VisibilityValues = [accountId: string, domainIds: string[] | null, testOnly: boolean];

/** The values for `visibleEmails`, in order. */
export const visibilityValues = (visibility: Visibility): VisibilityValues => [
  visibility.accountId,
  visibleDomains(visibility),
  visibility.mode === 'test',
];

/**
 * Condition on row `e` of `emails`: it belongs to the account, and to a domain and a mode that the key sees. Its values are
 * the parameters from `$first` on.
 */
export const visibleEmails = (first: number): string =>
  `e.account_id = $${first} AND ($${first + 1}::text[] IS NULL OR e.domain_id = ANY ($${first + 1}))
   AND ($${first + 2}::boolean IS FALSE OR e.mode = 'test')`;

/**
 * For a WHERE clause on `emails AS e`: leaves out messages of the service with login links, whose content would let every reader
 * of the account log in as the recipient.
 */
export const READABLE_CONTENT = `NOT (e.api_key_id IS NULL AND e.tags ->> '${NOTICE_TAG}' = 'login')`;
