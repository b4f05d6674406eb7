import { Injectable } from '@nestjs/common';
import { RecentAnswers } from '#libs/kernel';
import { Database, GroupCommit } from '#libs/persistence';
import type { TlsPolicy } from './domain.entity.js';

/** What a sending domain asks of the way that its mail goes out. */
export interface DeliveryWish {
  tls: TlsPolicy;
  /** The domain itself, where bounces may go to `bounces.` below it: that name leads to us. Null: to the service's own. */
  returnPathOf: string | null;
}

interface Question {
  accountId: string;
  id: string;
}

/** How soon a change of the domain counts for mail that goes out. */
const CACHE_MS = 1_000;
const CACHED_DOMAINS = 20_000;

/** A domain that is gone asks for the most: nothing of it should go out. */
const GONE: DeliveryWish = { tls: 'enforced', returnPathOf: null };

/**
 * An alias that was seen to be missing even once is not used: mail from a name that does not exist is refused by many,
 * while mail from ours is merely not aligned. No answer of DNS changes nothing.
 */
const ASK = `
  SELECT d.account_id AS "accountId", d.id, d.tls,
         CASE WHEN d.findings @> '[{"slot": "return_path", "status": "verified", "lostSince": null}]'
              THEN d.name END AS "returnPathOf"
    FROM unnest($1::text[], $2::text[]) AS q (account_id, id)
    JOIN domains d ON d.id = q.id AND d.account_id = q.account_id`;

/** What sending domains ask of delivery; asked for every mail, so answers are remembered and questions share queries. */
@Injectable()
export class DeliveryWishes {
  private readonly recent: RecentAnswers<DeliveryWish>;

  constructor(database: Database) {
    const questions = new GroupCommit<Question, DeliveryWish | null>({
      commit: (group) => ask(database, group),
      maxItems: 500,
    });
    this.recent = new RecentAnswers({
      ask: (key) => {
        const [accountId, id] = key.split(' ');
        return questions.add({ accountId, id });
      },
      ttlMs: CACHE_MS,
      limit: CACHED_DOMAINS,
    });
  }

  async of(accountId: string, domainId: string): Promise<DeliveryWish> {
    return (await this.recent.get(keyOf(accountId, domainId))) ?? GONE;
  }
}

/** Ids have no space. */
const keyOf = (accountId: string, id: string): string => `${accountId} ${id}`;

async function ask(database: Database, group: Question[]): Promise<(DeliveryWish | null)[]> {
  const { rows } = await database.query<Question & DeliveryWish>({
    name: 'domains-delivery-wishes',
    text: ASK,
    values: [group.map(({ accountId }) => accountId), group.map(({ id }) => id)],
  });
  const found = new Map(rows.map(({ accountId, id, ...wish }) => [keyOf(accountId, id), wish]));
  return group.map(({ accountId, id }) => found.get(keyOf(accountId, id)) ?? null);
}
