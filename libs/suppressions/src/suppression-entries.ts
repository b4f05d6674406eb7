import { toPage, type Page, type PageRequest } from '#libs/contracts';
import { nextTurn } from '#libs/kernel';
import { Database, retriedTransaction, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import type { NewSuppression } from './new-suppression.js';
import { ShortLists } from './short-lists.js';
import { readSuppressions } from './read-suppressions.js';
import { removeSuppressions, type RemovalOptions, type SuppressionRemoval } from './remove-suppressions.js';
import { sortedInTurns } from './sorted-in-turns.js';
import { storeSuppressions, SUPPRESSION_COLUMNS } from './store-suppressions.js';
import type { SuppressionTarget } from './suppression-rules.js';
import { searchQuery, type SuppressionFilter } from './suppression-search.js';
import { presentSuppression, type SuppressionView } from './suppression-view.js';
import type { SuppressionEntity } from './suppression.entity.js';

/** What became of an entry that was to be made: it is new, or one that lasts at least as long was there. */
export interface StoredSuppression {
  entry: SuppressionView;
  created: boolean;
}

/** Entries of one statement; far below the limits of the protocol. */
const STORED_AT_ONCE = 1_000;
const PAGE_OF_ALL = 1_000;

/** The list as its account sees and changes it. */
@Injectable()
export class SuppressionEntries {
  constructor(
    private readonly database: Database,
    private readonly shortLists: ShortLists,
  ) {}

  /** Newest first. */
  async page(accountId: string, filter: SuppressionFilter, request: PageRequest): Promise<Page<SuppressionView>> {
    const { text, values } = searchQuery(accountId, filter, request);
    const { rows } = await this.database.query<SuppressionEntity>(text, values);
    return toPage(request, rows, { id: (row) => row.id, present: presentSuppression });
  }

  /** Null for what is not on the account's list; an expired entry counts as none. */
  async find(accountId: string, target: SuppressionTarget): Promise<SuppressionView | null> {
    const [row] = await readSuppressions(this.database, accountId, [target]);
    const counts = row !== null && (row.expiresAt === null || row.expiresAt > new Date());
    return counts ? presentSuppression(row) : null;
  }

  /** Everything that counts now, oldest first, in pages: a list of any length needs the memory of one page. */
  async *all(accountId: string): AsyncGenerator<SuppressionView[]> {
    let last = '';
    for (;;) {
      const { rows } = await this.database.query<SuppressionEntity>({
        name: 'suppressions-all',
        text: `SELECT ${SUPPRESSION_COLUMNS} FROM suppressions
                WHERE account_id = $1 AND id > $2 AND (expires_at IS NULL OR expires_at > now()) ORDER BY id LIMIT $3`,
        values: [accountId, last, PAGE_OF_ALL],
      });
      if (rows.length > 0) yield rows.map(presentSuppression);
      if (rows.length < PAGE_OF_ALL) return;
      last = rows[rows.length - 1].id;
    }
  }

  /**
   * All entries or none, of one account; the results are in their order. Of two for the same address and domain the
   * first counts.
   */
  async add(accountId: string, entries: readonly Omit<NewSuppression, 'accountId'>[]): Promise<StoredSuppression[]> {
    return retriedTransaction(this.database, async (tx) => {
      const news = await this.storeAll(tx, accountId, entries);
      const targets = entries.map(({ address, domainId = null }) => ({ address, domainId }));
      const rows = await readSuppressions(tx, accountId, targets);
      return rows.map((row) => {
        if (row === null) throw new Error('an entry that was just stored is not there');
        return { entry: presentSuppression(row), created: news.delete(row.id) };
      });
    });
  }

  /** As `add`, for any number of entries: says only how many are new. */
  async import(accountId: string, entries: readonly Omit<NewSuppression, 'accountId'>[]): Promise<{ created: number }> {
    return retriedTransaction(this.database, async (tx) => ({
      created: (await this.storeAll(tx, accountId, entries)).size,
    }));
  }

  /** Counts at once: mail to the address passes as soon as this returns. One result per target, in order. */
  remove(
    accountId: string,
    targets: readonly SuppressionTarget[],
    options: RemovalOptions,
  ): Promise<SuppressionRemoval[]> {
    return retriedTransaction(this.database, (tx) => removeSuppressions(tx, { accountId, targets }, options));
  }

  /** @returns the ids of the entries that are new. */
  private async storeAll(
    tx: Queryable,
    accountId: string,
    entries: readonly Omit<NewSuppression, 'accountId'>[],
  ): Promise<Set<string>> {
    const distinct = await distinctEntries(accountId, entries);
    // In one order for everybody, so that two callers seldom wait for each other in a ring.
    const sorted = await sortedInTurns([...distinct], ([a], [b]) => (a < b ? -1 : 1));
    const news = new Set<string>();
    for (let at = 0; at < sorted.length; at += STORED_AT_ONCE) {
      const part = partOf(sorted, at);
      this.shortLists.expect(part);
      for (const { id } of await storeSuppressions(tx, part)) news.add(id);
    }
    return news;
  }
}

const partOf = (sorted: readonly [string, NewSuppression][], at: number): NewSuppression[] =>
  sorted.slice(at, at + STORED_AT_ONCE).map(([, entry]) => entry);

/** By address and domain, the first of each. */
async function distinctEntries(
  accountId: string,
  entries: readonly Omit<NewSuppression, 'accountId'>[],
): Promise<Map<string, NewSuppression>> {
  const distinct = new Map<string, NewSuppression>();
  for (const [i, entry] of entries.entries()) {
    const key = `${entry.address} ${entry.domainId ?? ''}`;
    if (!distinct.has(key)) distinct.set(key, { ...entry, accountId });
    if (i % STORED_AT_ONCE === STORED_AT_ONCE - 1) await nextTurn();
  }
  return distinct;
}
