import { Database, GroupCommit, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import type { NewSuppression } from '../entries/store.js';
import { SuppressionCache } from './suppression-cache.js';
import { storeSuppressions } from '../entries/store.js';
import type { SuppressionOrigin } from '../suppression.resource.js';

/** An active entry. */
export interface SuppressionMatch {
  origin: SuppressionOrigin;
  /** Applies to all mail of the account, otherwise to one sending domain. */
  isAccountWide: boolean;
}
type Matches = Map<string, SuppressionMatch>;

interface Lookup {
  accountId: string;
  addresses: string[];
  domainId: string | null;
}

/** About 4,000 addresses per query; a message has at most 150. */
const MAX_QUERY_CHARACTERS = 128 * 1024;

/**
 * U+0000 and unpaired surrogates, which PostgreSQL text cannot contain. An address with them is not listed, and must not
 * fail the other lookups of the query.
 */
const NOT_IN_TEXT = /[\0\p{Cs}]/u;

/** Matches the entries of all domains. */
const ANY_DOMAIN = '*';

const MATCHING = `
  SELECT q.lookup, q.named AS address, s.origin, s.domain_id IS NULL AS is_account_wide
    FROM json_to_recordset($1::json) AS q (lookup int, account_id text, address text, named text, domain_id text)
    JOIN suppressions s ON s.account_id = q.account_id AND s.address = q.address
     AND (s.domain_id IS NULL OR s.domain_id = q.domain_id OR q.domain_id = '${ANY_DOMAIN}')
   WHERE s.expires_at IS NULL OR s.expires_at > now()`;

const PROVED = `
  SELECT address, origin FROM suppressions
   WHERE account_id = $1 AND domain_id = $2 AND address = ANY($3::text[]) AND origin = ANY($4::text[])
     AND expires_at IS NULL`;

/** Addresses of users are in lower case, as those of entries are. */
async function isMember(tx: Queryable, { accountId, address }: NewSuppression): Promise<boolean> {
  const { rows } = await tx.query(
    'SELECT FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.account_id = $1 AND u.email = $2',
    [accountId, address],
  );
  return rows.length > 0;
}

interface MatchRow {
  lookup: number;
  address: string;
  origin: SuppressionOrigin;
  is_account_wide: boolean;
}

/** Finds the suppressed addresses of a message. All addresses are normalised. */
@Injectable()
export class SuppressionList {
  private readonly lookups: GroupCommit<Lookup, Matches>;

  constructor(
    private readonly database: Database,
    private readonly cache: SuppressionCache,
  ) {
    this.lookups = new GroupCommit({
      commit: (group) => this.query(group),
      maxItems: 500,
      maxBytes: MAX_QUERY_CHARACTERS,
      sizeOf: (lookup) => lookup.addresses.reduce((sum, address) => sum + address.length, 0),
    });
  }

  /**
   * The suppressed ones of `addresses` with their origin, by entries of the account and, with `domainId`, of this sending
   * domain. Concurrent calls share one query. Listed addresses are never cached, so that a removal takes effect
   * immediately.
   */
  async matching(
    accountId: string,
    addresses: string[],
    domainId: string | null = null,
  ): Promise<Map<string, SuppressionOrigin>> {
    const candidates: string[] = [];
    for (const address of addresses)
      if (!NOT_IN_TEXT.test(address) && !(await this.cache.isSurelyAbsent(accountId, address)))
        candidates.push(address);
    if (candidates.length === 0) return new Map();
    const found = await this.lookups.add({ accountId, addresses: candidates, domainId });
    return new Map([...found].map(([address, { origin }]) => [address, origin]));
  }

  /**
   * The widest entry of an address, by entries of the account and of any of its sending domains. For callers that do not
   * know the sending domain yet.
   */
  async listed(accountId: string, address: string): Promise<SuppressionMatch | null> {
    if (NOT_IN_TEXT.test(address) || (await this.cache.isSurelyAbsent(accountId, address))) return null;
    const found = await this.lookups.add({ accountId, addresses: [address], domainId: ANY_DOMAIN });
    return found.get(address) ?? null;
  }

  /**
   * The addresses that have a permanent entry for this sending domain alone, with one of the origins. Such entries follow
   * from messages of the domain itself; neither entries of the account nor those of its other domains count.
   */
  async provedBy(
    { accountId, domainId, origins }: { accountId: string; domainId: string; origins: readonly SuppressionOrigin[] },
    addresses: readonly string[],
  ): Promise<Map<string, SuppressionOrigin>> {
    const stored = new Map(
      addresses
        .filter((address) => !NOT_IN_TEXT.test(address))
        // An erased entry blocks its address as well.
        .flatMap((address) =>
          [address, ...this.cache.erasedAs(accountId, address)].map((key): [string, string] => [key, address]),
        ),
    );
    const { rows } = await this.database.query<{ address: string; origin: SuppressionOrigin }>({
      name: 'suppressions-proved',
      text: PROVED,
      values: [accountId, domainId, [...stored.keys()], origins],
    });
    return new Map(rows.map(({ address, origin }) => [stored.get(address) ?? address, origin]));
  }

  /**
   * Stores an entry in the caller's transaction, with its event.
   * @returns false if an entry that lasts at least as long exists, which is not changed, or if a member is spared
   */
  async add(tx: Queryable, entry: NewSuppression): Promise<boolean> {
    if (entry.sparesMembers && (await isMember(tx, entry))) return false;
    this.cache.willStore([entry]);
    return (await storeSuppressions(tx, [entry])).length === 1;
  }

  private async query(group: Lookup[]): Promise<Matches[]> {
    const matches: Matches[] = group.map(() => new Map());
    const flat = group.flatMap(({ accountId, addresses, domainId }, i) =>
      addresses.flatMap((named) =>
        // An erased entry blocks its address as well.
        [named, ...this.cache.erasedAs(accountId, named)].map((address) => ({
          lookup: i,
          account_id: accountId,
          address,
          named,
          domain_id: domainId,
        })),
      ),
    );
    const { rows } = await this.database.query<MatchRow>({
      name: 'suppressions-matching',
      text: MATCHING,
      values: [JSON.stringify(flat)],
    });
    // An address may be listed for the account and for the domain: the wider entry is returned.
    for (const { lookup, address, origin, is_account_wide: isAccountWide } of rows)
      if (isAccountWide || !matches[lookup].has(address)) matches[lookup].set(address, { origin, isAccountWide });
    return matches;
  }
}
