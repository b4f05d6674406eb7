import file from './providers.json' with { type: 'json' };

/** A company that hosts mailboxes, recognised by the domain of a recipient or by the MX host that accepts the mail. */
interface MailboxProvider {
  /** Its name in throttling: the name of its queue and its key in the operator's file. */
  name: string;
  /** The provider in statistics, metrics and lists, where it differs: a provider may have several queues. */
  id?: string;
  /** How the provider is displayed. */
  label: string;
  /** Recipient domains. A name that ends in a dot has any top-level domain (`yahoo.`). */
  domains: readonly string[];
  /** Endings of MX host names. */
  mx: readonly string[];
}

/** Imported and not read with `node:fs`, because contracts has no dependencies and the bundler includes the data. */
export const MAILBOX_PROVIDERS: readonly MailboxProvider[] = file.providers;

const BY_DOMAIN = new Map<string, string>();
const BY_FIRST_LABEL = new Map<string, string>();
for (const { name, id = name, domains } of MAILBOX_PROVIDERS)
  for (const domain of domains)
    if (domain.endsWith('.')) BY_FIRST_LABEL.set(domain.slice(0, -1), id);
    else BY_DOMAIN.set(domain, id);

/**
 * The mailbox provider of an address or a domain: the id of a known one, else the domain. It depends on the domain
 * alone, not on the MX, so that all events of a recipient are in the same group.
 */
export function mailboxProvider(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  return BY_DOMAIN.get(domain) ?? familyOf(domain) ?? domain;
}

/** `yahoo.co.uk` and `yahoo.fr` belong to `yahoo`; `yahoo.example.com` does not. */
function familyOf(domain: string): string | undefined {
  const labels = domain.split('.');
  const countries = labels.length === 2 || (labels.length === 3 && /^(co|com|ne|net|or|org)$/.test(labels[1]));
  return countries ? BY_FIRST_LABEL.get(labels[0]) : undefined;
}

export const mailboxProviders = { all: MAILBOX_PROVIDERS, of: mailboxProvider };
