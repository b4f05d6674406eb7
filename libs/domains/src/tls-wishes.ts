import { Injectable } from '@nestjs/common';
import { RecentAnswers } from '#libs/kernel';
import { Database, GroupCommit } from '#libs/persistence';
import type { TlsPolicy } from './domain.entity.js';

interface Question {
  accountId: string;
  id: string;
}

/** How soon a change of the setting counts for mail that goes out. */
const CACHE_MS = 1_000;
const CACHED_DOMAINS = 20_000;

const ASK = `
  SELECT d.account_id AS "accountId", d.id, d.tls
    FROM unnest($1::text[], $2::text[]) AS q (account_id, id)
    JOIN domains d ON d.id = q.id AND d.account_id = q.account_id`;

/** What sending domains ask of the connections that their mail goes out on; asked for every mail. */
@Injectable()
export class TlsWishes {
  private readonly recent: RecentAnswers<TlsPolicy>;

  constructor(database: Database) {
    const questions = new GroupCommit<Question, TlsPolicy | null>({
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

  /** A domain that is gone asks for the most: nothing of it should go out. */
  async of(accountId: string, domainId: string): Promise<TlsPolicy> {
    return (await this.recent.get(keyOf(accountId, domainId))) ?? 'enforced';
  }
}

/** Ids have no space. */
const keyOf = (accountId: string, id: string): string => `${accountId} ${id}`;

async function ask(database: Database, group: Question[]): Promise<(TlsPolicy | null)[]> {
  const { rows } = await database.query<Question & { tls: TlsPolicy }>({
    name: 'domains-tls',
    text: ASK,
    values: [group.map(({ accountId }) => accountId), group.map(({ id }) => id)],
  });
  const found = new Map(rows.map((row) => [keyOf(row.accountId, row.id), row.tls]));
  return group.map(({ accountId, id }) => found.get(keyOf(accountId, id)) ?? null);
}
