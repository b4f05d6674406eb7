import { Injectable } from '@nestjs/common';
import { DeliveryPolicies } from '#libs/domains';
import { Config, TtlCache } from '#libs/kernel';
import { domainOf } from '#libs/mime';
import { Database } from '#libs/persistence';
import { canonicalHost, TrackingLinks, type TrackedLink } from '#libs/tracking';
import { getDomain } from 'tldts';

interface LinkOrigin {
  accountId: string;
  domainId: string;
  senderAddress: string;
}

const CACHE_MS = 60_000;
const CACHED_EMAILS = 10_000;

/**
 * Click links of versions that did not bind links to a host. They work on the hosts that such a version used for the domain
 * of their message (docs/decisions/037). If the message has been deleted, the link must stay within the organisation of
 * the host, because its account is unknown.
 */
@Injectable()
export class EarlierLinks {
  private readonly publicHost: string;
  private readonly origins: TtlCache<LinkOrigin>;

  constructor(
    private readonly links: TrackingLinks,
    private readonly policies: DeliveryPolicies,
    database: Database,
    config: Config,
  ) {
    this.publicHost = canonicalHost(new URL(config.settings.PUBLIC_URL).hostname);
    this.origins = new TtlCache({
      load: (emailId) => findOrigin(database, emailId),
      ttlMs: CACHE_MS,
      maxEntries: CACHED_EMAILS,
    });
  }

  /** Null for a token that is not one of these, or not for this host. */
  async readClick(token: string, host: string): Promise<TrackedLink | null> {
    const link = this.links.readUnboundClick(token);
    return link !== null && (await this.isForHost(link, canonicalHost(host))) ? link : null;
  }

  private async isForHost({ emailId, target }: TrackedLink, host: string): Promise<boolean> {
    const origin = await this.origins.get(emailId);
    if (origin === null) return isOfOneOrganisation(host, target);
    if (host === `track.${domainOf(origin.senderAddress)}`) return true;
    if (host !== this.publicHost) return false;
    return (await this.policies.of(origin.accountId, origin.domainId)).tracksOnPublicHost;
  }
}

async function findOrigin(database: Database, emailId: string): Promise<LinkOrigin | null> {
  const { rows } = await database.query<LinkOrigin>({
    name: 'tracking-origin',
    text: 'SELECT account_id AS "accountId", domain_id AS "domainId", sender_address AS "senderAddress" FROM emails WHERE id = $1',
    values: [emailId],
  });
  return rows.at(0) ?? null;
}

function isOfOneOrganisation(host: string, target: string): boolean {
  const organisation = getDomain(host, { allowPrivateDomains: true });
  return organisation !== null && organisation === getDomain(new URL(target).hostname, { allowPrivateDomains: true });
}
