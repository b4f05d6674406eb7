import { Refusal } from './refusals.js';
import type { Mode } from './email-status.js';
import { isAboutLoginMail, type RoutedEvent } from './events.js';

/**
 * The part of an account that an API key reads and changes. Functions that read or change mail, events, requests,
 * statistics, suppressions, webhooks and domains take it instead of the id of the account, so that code that ignores the
 * restrictions of the key does not compile.
 */
export interface Visibility {
  accountId: string;
  /** `live` sees both modes; `test` sees only data of mode `test`. */
  mode: Mode;
  /** The sending domains whose data is visible; null for the whole account, with data that belongs to no domain. */
  domainIds: ReadonlySet<string> | null;
  /** Lists name the login mail of the service; absent for API keys. Nobody reads its content. */
  seesLoginMail?: boolean;
}

/** Everything in an account: for the operator, and for work that no key asked for. */
export const wholeAccount = (accountId: string): Visibility => ({ accountId, mode: 'live', domainIds: null });

/** The visible domains as a parameter of SQL; null for all. */
export const visibleDomains = ({ domainIds }: Visibility): string[] | null => domainIds && [...domainIds];

/** `domainId`: null for data that belongs to no domain. */
export function seesDomain({ domainIds }: Pick<Visibility, 'domainIds'>, domainId: string | null): boolean {
  return domainIds === null || (domainId !== null && domainIds.has(domainId));
}

/** Whether an event is visible to a caller of its account. */
export function seesEvent(visibility: Visibility, logged: RoutedEvent): boolean {
  return (
    (visibility.mode === 'live' || logged.test) &&
    seesDomain(visibility, logged.domainId) &&
    (visibility.seesLoginMail === true || !isAboutLoginMail(logged))
  );
}

/**
 * Refuses before any lookup, so that the answer does not tell whether the domain exists.
 * @param named the domains that a request names, each with its path in the request; null for all domains of the account
 * @throws Refusal restricted_api_key (403) with each field that names a domain that is not visible
 */
export function assertDomainsVisible(
  visibility: Pick<Visibility, 'domainIds'>,
  named: readonly { field: string; id: string | null }[],
): void {
  const message = 'must name domains of this API key only';
  const details = named
    .filter(({ id }) => !seesDomain(visibility, id))
    .map(({ field }) => ({ field, code: 'domain_not_allowed', message }));
  if (details.length > 0) throw new Refusal('restricted_api_key', details, 'This API key is limited to other domains.');
}
