import type { NewSuppression, SuppressionList, SuppressionOrigin } from '#libs/suppressions';
import type { EmailInfo } from './email-events.js';
import { isSystemMail, NOTICE_TAG } from './system-mail-kinds.js';

/** A message and the addresses that it is sent to, normalised. */
interface Addressed {
  accountId: string;
  domainId: string;
  tags: Readonly<Record<string, string>>;
  /** The service itself wrote it. */
  isOfService: boolean;
  addresses: string[];
}

/**
 * The suppressed ones of the addresses. The list of the customer does not concern messages of the service: a person whose
 * address is on it must still be able to set a password. Only what earlier messages of the service led to counts, and for
 * messages with links only that the mailbox does not exist.
 */
export function suppressedAddresses(list: SuppressionList, of: Addressed): Promise<Map<string, SuppressionOrigin>> {
  const { accountId, domainId, tags, addresses } = of;
  if (!of.isOfService) return list.matching(accountId, addresses, domainId);
  const origins: SuppressionOrigin[] = tags[NOTICE_TAG] === 'login' ? ['bounce'] : ['bounce', 'complaint'];
  return list.provedBy({ accountId, domainId, origins }, addresses);
}

/** The part of an entry that says which messages it stops, for an entry that a report or reply about an email leads to. */
function suppressionScope(
  {
    accountId,
    domainId,
    apiKeyId,
    ...email
  }: Pick<EmailInfo, 'accountId' | 'domainId' | 'apiKeyId' | 'tags' | 'sender'>,
  serviceDomain: string,
): Pick<NewSuppression, 'accountId' | 'domainId' | 'sparesMembers'> {
  return {
    accountId,
    domainId: isSystemMail(email, serviceDomain) ? domainId : null,
    sparesMembers: apiKeyId?.startsWith('usr_') ?? false,
  };
}

/** Which entries stop an email, and which emails an entry stops. */
export const emailSuppressions = { addresses: suppressedAddresses, scope: suppressionScope };
