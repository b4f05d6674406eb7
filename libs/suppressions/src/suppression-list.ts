import { Database, GroupCommit, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import type { NewSuppression } from './new-suppression.js';
import { ShortLists } from './short-lists.js';
import { storeSuppressions } from './store-suppressions.js';
import type { SuppressionOrigin } from './suppression.entity.js';

/** An entry that counts now. */
export interface Listed {
  origin: SuppressionOrigin;
  /** Of the whole account; else of one sending domain. */
  everywhere: boolean;
}
type Matches = Map<string, Listed>;
interface Question {
  accountId: string;
  addresses: string[];
  domainId: string | null;
}

/** About 4,000 addresses in one query; a mail has 150 at most. */
const MAX_QUERY_CHARACTERS = 128 * 1024;

/**
 * U+0000 and halves of surrogate pairs, which PostgreSQL has in no text: an address with them is on no list, and it must
 * not fail the neighbours in the query.
 */
const NOT_IN_TEXT = /[\0\p{Cs}]/u;

/** In the place of an id. */
const ANY_DOMAIN = '*';

const MATCHING = `
  SELECT q.question, s.address, s.origin, s.domain_id IS NULL AS everywhere
    FROM json_to_recordset($1::json) AS q (question int, account_id text, address text, domain_id text)
    JOIN suppressions s ON s.account_id = q.account_id AND s.address = q.address
     AND (s.domain_id IS NULL OR s.domain_id = q.domain_id OR q.domain_id = '${ANY_DOMAIN}')
   WHERE s.expires_at IS NULL OR s.expires_at > now()`;

interface MatchRow {
  question: number;
  address: string;
  origin: SuppressionOrigin;
  everywhere: boolean;
}

/** Addresses that an account's mail does not go to. All addresses in and out are normalised (D-49). */
@Injectable()
export class SuppressionList {
  private readonly questions: GroupCommit<Question, Matches>;

  constructor(
    private readonly database: Database,
    private readonly shortLists: ShortLists,
  ) {
    this.questions = new GroupCommit({
      commit: (group) => this.query(group),
      maxItems: 500,
      maxBytes: MAX_QUERY_CHARACTERS,
      sizeOf: (question) => question.addresses.reduce((sum, address) => sum + address.length, 0),
    });
  }

  /**
   * Those of `addresses` that are on the account's list right now, each with its origin; the keys are the texts as
   * given. Entries of the whole account count, and with `domainId` those of this sending domain. Callers that meet share
   * one query. What is on the list is never remembered: a removal counts at once.
   */
  async matching(
    accountId: string,
    addresses: string[],
    domainId: string | null = null,
  ): Promise<Map<string, SuppressionOrigin>> {
    const askable: string[] = [];
    for (const address of addresses)
      if (!NOT_IN_TEXT.test(address) && !(await this.shortLists.lack(accountId, address))) askable.push(address);
    if (askable.length === 0) return new Map();
    const found = await this.questions.add({ accountId, addresses: askable, domainId });
    return new Map([...found].map(([address, { origin }]) => [address, origin]));
  }

  /**
   * The widest entry of one address on any list of the account, of a sending domain's too, where it is not known yet
   * which domain sends.
   */
  async listed(accountId: string, address: string): Promise<Listed | null> {
    if (NOT_IN_TEXT.test(address) || (await this.shortLists.lack(accountId, address))) return null;
    const found = await this.questions.add({ accountId, addresses: [address], domainId: ANY_DOMAIN });
    return found.get(address) ?? null;
  }

  /**
   * Puts an address on the list, in the caller's transaction, with its event.
   * @returns false when an entry that lasts at least as long was there already; that one stays as it is.
   */
  async add(tx: Queryable, entry: NewSuppression): Promise<boolean> {
    this.shortLists.expect([entry]);
    return (await storeSuppressions(tx, [entry])).length === 1;
  }

  private async query(group: Question[]): Promise<Matches[]> {
    const matches: Matches[] = group.map(() => new Map());
    const flat = group.flatMap(({ accountId, addresses, domainId }, i) =>
      addresses.map((address) => ({ question: i, account_id: accountId, address, domain_id: domainId })),
    );
    const { rows } = await this.database.query<MatchRow>({
      name: 'suppressions-matching',
      text: MATCHING,
      values: [JSON.stringify(flat)],
    });
    // An address may be on the list of the account and of the domain: the wider entry is the one to name.
    for (const { question, address, origin, everywhere } of rows)
      if (everywhere || !matches[question].has(address)) matches[question].set(address, { origin, everywhere });
    return matches;
  }
}
