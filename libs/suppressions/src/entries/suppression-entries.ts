import { Injectable } from '@nestjs/common';
import {
  assertDomainsVisible,
  toPage,
  type Page,
  type PageRequest,
  type Visibility,
  visibleDomains,
} from '#libs/contracts';
import { databaseClock, yielding } from '#libs/kernel';
import { Database, type Queryable } from '#libs/persistence';
import { type NewSuppression, storeSuppressions } from './store.js';
import { SuppressionCache } from '../matching/suppression-cache.js';
import { readSuppressions, VISIBLE_ENTRIES } from './read.js';
import { removeSuppressions, type RemovalOptions, type SuppressionRemoval } from './remove.js';
import type { SuppressionTarget } from './field-rules.js';
import { searchEndQuery, searchQuery, type SuppressionFilter } from './search.js';
import { suppression, toSuppressionView, type SuppressionRow, type SuppressionView } from '../suppression.resource.js';

export interface StoredSuppression {
  entry: SuppressionView;
  /** False if an entry that lasts at least as long existed. */
  created: boolean;
}

/** Entries per statement, far below the limits of the protocol. */
const BATCH_SIZE = 1_000;
const EXPORT_PAGE_SIZE = 1_000;

/** Management of the suppression list by its account. */
@Injectable()
export class SuppressionEntries {
  constructor(
    private readonly database: Database,
    private readonly cache: SuppressionCache,
  ) {}

  /** Newest first. @throws Refusal restricted_api_key for a domain that the key does not see */
  async page(visibility: Visibility, filter: SuppressionFilter, request: PageRequest): Promise<Page<SuppressionView>> {
    if (filter.domainId !== undefined) assertDomainsVisible(visibility, [{ field: 'domain_id', id: filter.domainId }]);
    const upTo = filter.search === undefined ? undefined : await this.searchEnd(visibility, request);
    const { text, values } = searchQuery(visibility, { ...filter, upTo }, request);
    const { rows } = await this.database.query<SuppressionRow>(text, values);
    const page = toPage(request, rows, { id: (row) => row.id, present: toSuppressionView });
    return page.has_more || upTo === undefined ? page : { ...page, has_more: true, next_cursor: upTo };
  }

  private async searchEnd(visibility: Visibility, request: PageRequest): Promise<string | undefined> {
    const { text, values } = searchEndQuery(visibility, request);
    return (await this.database.query<{ id: string }>(text, values)).rows[0]?.id;
  }

  /** Null if the key sees no such entry, or if it has expired. */
  async find(visibility: Visibility, target: SuppressionTarget): Promise<SuppressionView | null> {
    const erasedAs = (address: string) => this.cache.erasedAs(visibility.accountId, address);
    const [row] = await readSuppressions(this.database, { visibility, erasedAs }, [target]);
    const isActive = row !== null && (row.expires_at === null || row.expires_at > databaseClock.date());
    return isActive ? toSuppressionView(row) : null;
  }

  /** All active entries that the key sees, oldest first, in pages, so that a list of any length needs the memory of one page. */
  async *all(visibility: Visibility): AsyncGenerator<SuppressionView[]> {
    let last = '';
    for (;;) {
      const { rows } = await this.database.query<SuppressionRow>({
        name: 'suppressions-all',
        text: `SELECT ${suppression.columns} FROM suppressions
                WHERE account_id = $1 AND ${VISIBLE_ENTRIES} AND id > $3 AND (expires_at IS NULL OR expires_at > now())
                ORDER BY id LIMIT $4`,
        values: [visibility.accountId, visibleDomains(visibility), last, EXPORT_PAGE_SIZE],
      });
      if (rows.length > 0) yield rows.map(toSuppressionView);
      if (rows.length < EXPORT_PAGE_SIZE) return;
      last = rows[rows.length - 1].id;
    }
  }

  /**
   * Stores all entries or none; the results are in their order. Of two entries for the same address and domain the first
   * is stored.
   * @throws Refusal restricted_api_key for an entry of a domain that the key does not see, or of the whole account
   */
  async add(
    visibility: Visibility,
    entries: readonly Omit<NewSuppression, 'accountId'>[],
  ): Promise<StoredSuppression[]> {
    assertDomainsVisible(visibility, domainsNamed(entries));
    const { accountId } = visibility;
    return this.database.transactionWithRetry(async (tx) => {
      const created = await this.storeAll(tx, accountId, entries);
      const targets = entries.map(({ address, domainId = null }) => ({ address, domainId }));
      const rows = await readSuppressions(tx, { visibility }, targets);
      return rows.map((row) => {
        if (row === null) throw new Error('an entry that was just stored does not exist');
        return { entry: toSuppressionView(row), created: created.delete(row.id) };
      });
    });
  }

  /** Like `add` for any number of entries, but returns only how many are new. */
  async import(
    visibility: Visibility,
    entries: readonly Omit<NewSuppression, 'accountId'>[],
  ): Promise<{ created: number }> {
    assertDomainsVisible(visibility, domainsNamed(entries));
    return this.database.transactionWithRetry(async (tx) => ({
      created: (await this.storeAll(tx, visibility.accountId, entries)).size,
    }));
  }

  /**
   * Takes effect immediately: mail to the address is accepted as soon as this returns. One result per target, in order.
   * @throws Refusal restricted_api_key for a target of a domain that the key does not see, or of the whole account
   */
  async remove(
    visibility: Visibility,
    targets: readonly SuppressionTarget[],
    options: RemovalOptions,
  ): Promise<SuppressionRemoval[]> {
    assertDomainsVisible(visibility, domainsNamed(targets.filter((target) => 'address' in target)));
    const erasedAs = (address: string) => this.cache.erasedAs(visibility.accountId, address);
    return this.database.transactionWithRetry((tx) =>
      removeSuppressions(tx, { visibility, erasedAs, targets }, options),
    );
  }

  /** @returns the ids of the new entries */
  private async storeAll(
    tx: Queryable,
    accountId: string,
    entries: readonly Omit<NewSuppression, 'accountId'>[],
  ): Promise<Set<string>> {
    const distinct = await distinctEntries(accountId, entries);
    // All callers use the same order, which makes deadlocks rare.
    const sorted = await yielding.sort([...distinct], ([a], [b]) => (a < b ? -1 : 1));
    const created = new Set<string>();
    for (let at = 0; at < sorted.length; at += BATCH_SIZE) {
      const batch = batchAt(sorted, at);
      this.cache.willStore(batch);
      for (const { id } of await storeSuppressions(tx, batch)) created.add(id);
    }
    return created;
  }
}

/** Of a key that is limited to domains, each entry must name one of them. */
const domainsNamed = (entries: readonly { domainId?: string | null }[]) =>
  [...new Set(entries.map(({ domainId = null }) => domainId))].map((id) => ({ field: 'domain_id', id }));

const batchAt = (sorted: readonly [string, NewSuppression][], at: number): NewSuppression[] =>
  sorted.slice(at, at + BATCH_SIZE).map(([, entry]) => entry);

/** The first entry of each address and domain. */
async function distinctEntries(
  accountId: string,
  entries: readonly Omit<NewSuppression, 'accountId'>[],
): Promise<Map<string, NewSuppression>> {
  const distinct = new Map<string, NewSuppression>();
  for (const [i, entry] of entries.entries()) {
    const key = `${entry.address} ${entry.domainId ?? ''}`;
    if (!distinct.has(key)) distinct.set(key, { ...entry, accountId });
    if (i % BATCH_SIZE === BATCH_SIZE - 1) await yielding.pause();
  }
  return distinct;
}
