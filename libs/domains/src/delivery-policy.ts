import { TtlCache } from '#libs/kernel';
import { Database, GroupCommit } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import type { TlsPolicy } from './domain.resource.js';

/** The settings of a sending domain for the delivery of its mail. */
export interface DeliveryPolicy {
  tls: TlsPolicy;
  /** The domain, if `bounces.` below it is an alias of ours and can be the return path; null: use that of the service. */
  returnPathOf: string | null;
  /** `track.` below the domain, if it is an alias of ours. */
  trackingHost: string | null;
  /** The operator vouches for the domain: tracking links use the public URL of the service. */
  tracksOnPublicHost: boolean;
  /** Opens and clicks are recorded without address and user agent. */
  trackingPrivacy: boolean;
  /** Patterns of links that are not tracked. */
  trackingExclude: string[];
}

interface DomainKey {
  accountId: string;
  id: string;
}

const CACHE_MS = 1_000;
const CACHED_DOMAINS = 20_000;

/** The strictest policy: mail of a removed domain should not be sent. */
const POLICY_OF_REMOVED_DOMAIN: DeliveryPolicy = {
  tls: 'enforced',
  returnPathOf: null,
  trackingHost: null,
  tracksOnPublicHost: false,
  trackingPrivacy: true,
  trackingExclude: [],
};

/**
 * An alias that was missing even once is not used: many servers refuse mail from a name that does not exist, while mail from
 * our name is only not aligned. A check without an answer changes nothing.
 */
const FIND_POLICIES = `
  SELECT d.account_id AS "accountId", d.id, d.tls,
         CASE WHEN d.findings @> '[{"slot": "return_path", "status": "verified", "lostSince": null}]'
              THEN d.name END AS "returnPathOf",
         CASE WHEN d.findings @> '[{"slot": "tracking", "status": "verified", "lostSince": null}]' AND NOT d.vouched
              THEN 'track.' || d.name END AS "trackingHost",
         d.vouched AS "tracksOnPublicHost",
         d.tracking_privacy AS "trackingPrivacy", d.tracking_exclude AS "trackingExclude"
    FROM unnest($1::text[], $2::text[]) AS q (account_id, id)
    JOIN domains d ON d.id = q.id AND d.account_id = q.account_id`;

const TRACKING_HOSTS = `
  SELECT DISTINCT 'track.' || name AS host FROM domains
   WHERE status = 'active' AND NOT vouched
     AND findings @> '[{"slot": "tracking", "status": "verified", "lostSince": null}]' ORDER BY host`;

/** Needed for every mail, so policies are cached for a second and look-ups share queries. */
@Injectable()
export class DeliveryPolicies {
  private readonly cache: TtlCache<DeliveryPolicy>;

  constructor(private readonly database: Database) {
    const lookups = new GroupCommit<DomainKey, DeliveryPolicy | null>({
      commit: (group) => findPolicies(database, group),
      maxItems: 500,
    });
    this.cache = new TtlCache({
      load: (key) => {
        const [accountId, id] = key.split(' ');
        return lookups.add({ accountId, id });
      },
      ttlMs: CACHE_MS,
      maxEntries: CACHED_DOMAINS,
    });
  }

  async of(accountId: string, domainId: string): Promise<DeliveryPolicy> {
    return (await this.cache.get(keyOf(accountId, domainId))) ?? POLICY_OF_REMOVED_DOMAIN;
  }

  /** The hosts of tracking links of all active domains, each an alias of this service. */
  async trackingHosts(): Promise<string[]> {
    const { rows } = await this.database.query<{ host: string }>(TRACKING_HOSTS);
    return rows.map(({ host }) => host);
  }
}

/** Ids contain no spaces. */
const keyOf = (accountId: string, id: string): string => `${accountId} ${id}`;

async function findPolicies(database: Database, group: DomainKey[]): Promise<(DeliveryPolicy | null)[]> {
  const { rows } = await database.query<DomainKey & DeliveryPolicy>({
    name: 'domains-delivery-policies',
    text: FIND_POLICIES,
    values: [group.map(({ accountId }) => accountId), group.map(({ id }) => id)],
  });
  const found = new Map(rows.map(({ accountId, id, ...policy }) => [keyOf(accountId, id), policy]));
  return group.map(({ accountId, id }) => found.get(keyOf(accountId, id)) ?? null);
}
