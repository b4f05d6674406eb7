import { Config, TtlCache } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import type { NewSuppression } from '../entries/store.js';
import { ErasedAddresses, isErasedAddress } from './erased-addresses.js';

/** Longer lists are not cached. */
const MAX_ENTRIES = 1_000;
const CACHED_LISTS = 200;
/** Entries of other processes take effect after this time. */
const CACHE_MS = 1_000;
/** How long an entry counts as uncommitted; far longer than any transaction. */
const UNCOMMITTED_MS = 5 * 60_000;
const MAX_UNCOMMITTED = 50_000;

interface ShortList {
  addresses: ReadonlySet<string>;
  /** Hashes are computed only for accounts with such entries. */
  hasErased: boolean;
}

/**
 * The complete lists of accounts with few entries, to find without a query that an address is not listed; addresses that
 * may be listed are queried. A removal therefore takes effect immediately, and an entry of this process before it is
 * written. An entry of another process takes effect within a second where mail is accepted; the delivery program, which
 * checks again before it sends, always queries.
 */
@Injectable()
export class SuppressionCache {
  /** Null for a list that is too long. */
  private readonly lists: TtlCache<ShortList>;
  /** Entries that are being written and may be missing in a list that is read meanwhile; oldest first. */
  private readonly uncommitted = new Map<string, number>();
  /** There were too many uncommitted entries: the cache is not used until this time of `performance.now()`. */
  private disabledUntil = -Infinity;
  private readonly isDelivery: boolean;
  private readonly erased: ErasedAddresses;

  constructor(
    private readonly database: Database,
    config: Config,
  ) {
    this.isDelivery = config.program === 'delivery';
    this.erased = new ErasedAddresses(config);
    this.lists = new TtlCache({ load: (accountId) => this.read(accountId), ttlMs: CACHE_MS, maxEntries: CACHED_LISTS });
  }

  /** True if the address is not listed; false if it must be queried. */
  async isSurelyAbsent(accountId: string, address: string): Promise<boolean> {
    if (this.isDelivery) return false;
    const list = await this.lists.get(accountId);
    if (list === null || list.addresses.has(address)) return false;
    if (list.hasErased && this.erasedAs(accountId, address).some((hash) => list.addresses.has(hash))) return false;
    return !this.uncommitted.has(keyOf(accountId, address)) && performance.now() > this.disabledUntil;
  }

  /** The addresses of entries that still block `address` after it was erased. */
  erasedAs(accountId: string, address: string): string[] {
    return this.erased.allOf(accountId, address);
  }

  /** Call it before entries are written. */
  willStore(entries: readonly NewSuppression[]): void {
    const now = performance.now();
    for (const [key, until] of this.uncommitted) {
      if (until > now) break;
      this.uncommitted.delete(key);
    }
    for (const { accountId, address } of entries) {
      const key = keyOf(accountId, address);
      // Moves the key to the end.
      this.uncommitted.delete(key);
      this.uncommitted.set(key, now + UNCOMMITTED_MS);
    }
    if (this.uncommitted.size <= MAX_UNCOMMITTED) return;
    this.uncommitted.clear();
    this.disabledUntil = now + UNCOMMITTED_MS;
  }

  private async read(accountId: string): Promise<ShortList | null> {
    const { rows } = await this.database.query<{ address: string }>({
      name: 'suppressions-short-list',
      text: 'SELECT address FROM suppressions WHERE account_id = $1 LIMIT $2',
      values: [accountId, MAX_ENTRIES + 1],
    });
    if (rows.length > MAX_ENTRIES) return null;
    const addresses = rows.map(({ address }) => address);
    return { addresses: new Set(addresses), hasErased: addresses.some(isErasedAddress) };
  }
}

const keyOf = (accountId: string, address: string): string => `${accountId} ${address}`;
