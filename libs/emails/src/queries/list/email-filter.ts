import type { EmailStatus, LastEvent, Visibility } from '#libs/contracts';

/** The filter of a list of emails; all conditions must hold. */
export interface EmailFilter {
  status?: EmailStatus;
  lastEvent?: LastEvent;
  /** Normalised address of a recipient, whether in To, Cc or Bcc. */
  to?: string;
  /** Normalised domain of a recipient; with `waiting`, of one that is waiting. */
  recipientDomain?: string;
  /** Emails with a recipient that has no final outcome yet. */
  waiting?: boolean;
  /** Normalised address of the sender. */
  from?: string;
  /** Name or id of a sending domain of the account. */
  domain?: string;
  /** Prefix of the subject; case-insensitive. */
  subject?: string;
  /** Part of the subject, of an address or its name, or of the value of a tag; case-insensitive. */
  search?: string;
  tags?: Readonly<Record<string, string>>;
  /** Inclusive. */
  createdAfter?: Date;
  /** Exclusive. */
  createdBefore?: Date;
  /** Emails accepted with a scheduled time, whether it has passed or not. */
  scheduled?: boolean;
}

/** A filter whose domain belongs to this account, and the emails that the key sees. */
export type ResolvedFilter = Omit<EmailFilter, 'domain'> & { domainId?: string; visibility: Visibility };
