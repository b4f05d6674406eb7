import { mailboxProviders } from '#libs/contracts';
import { getDomain, getDomainWithoutSuffix } from 'tldts';

/**
 * The registered domain of a name, by the public suffix list with its private part: names below `github.io` belong to
 * different organisations. Null for a public suffix, an IP address and text that is not a domain name.
 */
export function organisationalDomain(name: string): string | null {
  return getDomain(name, { allowPrivateDomains: true });
}

/**
 * The organisational domains that may report about recipients of a domain: that of the domain, those of its MX hosts, and
 * those of its entry among the mailbox providers, which is found by domain or MX host.
 * @param recipientDomain in lower-case A-labels
 * @param mxHosts in lower case, without the final dot
 */
export function reportingOrganisations(recipientDomain: string, mxHosts: readonly string[]): ReadonlySet<string> {
  const providers = mailboxProviders.all.filter(
    ({ domains, mx }) =>
      domains.some((domain) => isProviderDomain(recipientDomain, domain)) ||
      mxHosts.some((host) => mx.some((suffix) => host === suffix || host.endsWith(`.${suffix}`))),
  );
  const names = [
    recipientDomain,
    ...mxHosts,
    ...providers.flatMap(({ domains, mx }) => [...domains.map(comName), ...mx]),
  ];
  return new Set(names.flatMap((name) => organisationalDomain(name) ?? []));
}

/**
 * Whether a name is that of an MX host, or below it. Names below an MX host that is a registered domain or a
 * public suffix itself, such as that of a hoster, belong to anybody.
 * @param name in lower case, like `mxHosts`
 */
export function isNameOfMxHost(name: string, mxHosts: readonly string[]): boolean {
  return mxHosts.some((host) => name === host || (name.endsWith(`.${host}`) && isWithinOrganisation(host)));
}

function isWithinOrganisation(name: string): boolean {
  const organisation = organisationalDomain(name);
  return organisation !== null && organisation !== name;
}

/** A provider's domain that ends in a dot has any top-level domain. */
function isProviderDomain(name: string, domain: string): boolean {
  return domain.endsWith('.')
    ? name === organisationalDomain(name) && `${getDomainWithoutSuffix(name)}.` === domain
    : name === domain;
}

/** Anybody may own `yahoo.` below some top-level domain, but each provider owns the name below `com`. */
const comName = (domain: string): string => (domain.endsWith('.') ? `${domain}com` : domain);
