import file from './providers.json' with { type: 'json' };

/** A company that hosts mailboxes, recognised by the domain of a recipient or by the MX host that accepts the mail. */
interface MailboxProvider {
  /** Its name in throttling: the name of its queue and its key in the operator's file. */
  name: string;
  /** Its name in statistics where that differs. */
  statistics?: string;
  /** Recipient domains. A name that ends in a dot has any top-level domain (`yahoo.`). */
  domains: readonly string[];
  /** Endings of MX host names. */
  mx: readonly string[];
}

/** Imported and not read with `node:fs`, because contracts has no dependencies and the bundler includes the data. */
export const MAILBOX_PROVIDERS: readonly MailboxProvider[] = file.providers;
