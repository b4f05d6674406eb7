import { Config, RecentAnswers } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import type { NewSuppression } from './new-suppression.js';

/** A list with more entries is asked for every address. */
const MAX_ENTRIES = 1_000;
const LISTS = 200;
/** What a program beside this one has added counts after that long. */
const REMEMBERED_MS = 1_000;
/** An entry that is being made is in no list that is read meanwhile. Far longer than a transaction of ours lasts. */
const IN_THE_MAKING_MS = 5 * 60_000;
const MOST_IN_THE_MAKING = 50_000;

/**
 * The lists of accounts that have short ones, to answer "surely not listed" without a question; whatever may be listed is
 * asked. So a removal counts at once, and an entry as soon as it is being made in this process. One that another process
 * makes counts after a second where mail is accepted; the delivery program, which looks again before it sends, always asks.
 */
@Injectable()
export class ShortLists {
  /** Null for a long one. */
  private readonly lists: RecentAnswers<ReadonlySet<string>>;
  private readonly inTheMaking = new Map<string, number>();
  /** Of `performance.now()`: until then more is in the making than is remembered. */
  private blindUntil = -Infinity;
  private readonly sendsForOthers: boolean;

  constructor(
    private readonly database: Database,
    config: Config,
  ) {
    this.sendsForOthers = config.program === 'delivery';
    this.lists = new RecentAnswers({ ask: (accountId) => this.read(accountId), ttlMs: REMEMBERED_MS, limit: LISTS });
  }

  /** True: the address is on no list of the account. False says nothing. */
  async lack(accountId: string, address: string): Promise<boolean> {
    if (this.sendsForOthers) return false;
    const list = await this.lists.get(accountId);
    if (list === null || list.has(address)) return false;
    return !this.inTheMaking.has(keyOf(accountId, address)) && performance.now() > this.blindUntil;
  }

  /** Must be called before these are written. */
  expect(entries: readonly NewSuppression[]): void {
    const now = performance.now();
    for (const [key, until] of this.inTheMaking) {
      if (until > now) break;
      this.inTheMaking.delete(key);
    }
    for (const { accountId, address } of entries) {
      const key = keyOf(accountId, address);
      // The oldest stand in front.
      this.inTheMaking.delete(key);
      this.inTheMaking.set(key, now + IN_THE_MAKING_MS);
    }
    if (this.inTheMaking.size <= MOST_IN_THE_MAKING) return;
    this.inTheMaking.clear();
    this.blindUntil = now + IN_THE_MAKING_MS;
  }

  private async read(accountId: string): Promise<ReadonlySet<string> | null> {
    const { rows } = await this.database.query<{ address: string }>({
      name: 'suppressions-short-list',
      text: 'SELECT address FROM suppressions WHERE account_id = $1 LIMIT $2',
      values: [accountId, MAX_ENTRIES + 1],
    });
    return rows.length > MAX_ENTRIES ? null : new Set(rows.map(({ address }) => address));
  }
}

const keyOf = (accountId: string, address: string): string => `${accountId} ${address}`;
