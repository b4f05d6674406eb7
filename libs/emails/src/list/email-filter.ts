import type { EmailStatus, LastEvent } from '#libs/contracts';

/** What a list of mails is narrowed to (D-10); all that is given must be true of a mail. */
export interface EmailFilter {
  status?: EmailStatus;
  lastEvent?: LastEvent;
  /** Normalised address of a recipient, whether in To, Cc or Bcc. */
  to?: string;
  /** Normalised address of the sender. */
  from?: string;
  /** Name or id of a sending domain of the account. */
  domain?: string;
  /** How the subject begins; upper and lower case are the same. */
  subject?: string;
  tags?: Readonly<Record<string, string>>;
  /** Inclusive. */
  createdAfter?: Date;
  /** Exclusive. */
  createdBefore?: Date;
  /** Mails that were accepted with a time to send them, whether it has come or not. */
  scheduled?: boolean;
}

/** A filter whose domain is known to be this account's. */
export type ResolvedFilter = Omit<EmailFilter, 'domain'> & { domainId?: string };
