import { TtlCache } from '#libs/kernel';
import { GroupCommit, type Database } from '#libs/persistence';
import { isDomainName } from './model/domain-rules.js';
import type { DomainStatus, EnvelopePolicy } from './domain.resource.js';

export interface SendingDomain {
  id: string;
  accountId: string;
  name: string;
  status: DomainStatus;
  vouched: boolean;
  envelope: EnvelopePolicy;
}

/** A domain that may send, with its settings for accepted messages. */
export interface ActiveDomain extends SendingDomain {
  openTracking: boolean;
  clickTracking: boolean;
  /** Tracking links can be used: `track.` below the domain is an alias of ours, or the operator vouches for the domain. */
  canTrack: boolean;
}

interface AccountAndName {
  accountId: string;
  name: string;
}

const CACHE_MS = 500;
const CACHED_DOMAINS = 20_000;

const FIND_ACTIVE = `
  SELECT d.id, d.account_id AS "accountId", d.name, d.status, d.vouched, d.envelope,
         d.open_tracking AS "openTracking", d.click_tracking AS "clickTracking",
         d.vouched OR d.findings @> '[{"slot": "tracking", "status": "verified", "lostSince": null}]' AS "canTrack"
    FROM unnest($1::text[], $2::text[]) AS q (account_id, name)
    JOIN domains d ON d.account_id = q.account_id AND d.name = q.name
   WHERE d.status = 'active'`;

/** Whether an account may send from a domain. Needed for every mail: results are cached, look-ups share queries. */
export class ActiveDomains {
  private readonly cache: TtlCache<ActiveDomain>;

  constructor(database: Database) {
    const lookups = new GroupCommit<AccountAndName, ActiveDomain | null>({
      commit: (group) => findActive(database, group),
      maxItems: 500,
    });
    this.cache = new TtlCache({
      load: (key) => {
        const [accountId, name] = key.split(' ');
        return lookups.add({ accountId, name });
      },
      ttlMs: CACHE_MS,
      maxEntries: CACHED_DOMAINS,
    });
  }

  /** @param name in its stored form; null for text that is not a domain name */
  async find(accountId: string, name: string): Promise<ActiveDomain | null> {
    return isDomainName(name) ? this.cache.get(keyOf(accountId, name)) : null;
  }

  forget(accountId: string, name: string): void {
    this.cache.delete(keyOf(accountId, name));
  }
}

/** Neither ids nor domain names contain spaces. */
const keyOf = (accountId: string, name: string): string => `${accountId} ${name}`;

async function findActive(database: Database, group: AccountAndName[]): Promise<(ActiveDomain | null)[]> {
  const { rows } = await database.query<ActiveDomain>({
    name: 'domains-active',
    text: FIND_ACTIVE,
    values: [group.map((q) => q.accountId), group.map((q) => q.name)],
  });
  const found = new Map(rows.map((row) => [keyOf(row.accountId, row.name), row]));
  return group.map(({ accountId, name }) => found.get(keyOf(accountId, name)) ?? null);
}
