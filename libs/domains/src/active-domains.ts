import { RecentAnswers } from '#libs/kernel';
import { GroupCommit, type Database } from '#libs/persistence';
import type { DomainStatus } from './domain.entity.js';
import { isDomainName } from './domain-name.js';

export interface SendingDomain {
  id: string;
  accountId: string;
  name: string;
  status: DomainStatus;
  vouched: boolean;
}

interface Question {
  accountId: string;
  name: string;
}

const CACHE_MS = 500;
const CACHED_DOMAINS = 20_000;

const ACTIVE = `
  SELECT d.id, d.account_id AS "accountId", d.name, d.status, d.vouched
    FROM unnest($1::text[], $2::text[]) AS q (account_id, name)
    JOIN domains d ON d.account_id = q.account_id AND d.name = q.name
   WHERE d.status = 'active'`;

/** Whether an account may send from a domain, asked for every mail: remembered briefly, questions share queries. */
export class ActiveDomains {
  private readonly recent: RecentAnswers<SendingDomain>;

  constructor(database: Database) {
    const questions = new GroupCommit<Question, SendingDomain | null>({
      commit: (group) => query(database, group),
      maxItems: 500,
    });
    this.recent = new RecentAnswers({
      ask: (key) => {
        const [accountId, name] = key.split(' ');
        return questions.add({ accountId, name });
      },
      ttlMs: CACHE_MS,
      limit: CACHED_DOMAINS,
    });
  }

  /** `name` in its stored form; whatever is no domain name is nobody's. */
  async find(accountId: string, name: string): Promise<SendingDomain | null> {
    return isDomainName(name) ? this.recent.get(keyOf(accountId, name)) : null;
  }

  forget(accountId: string, name: string): void {
    this.recent.forget(keyOf(accountId, name));
  }
}

/** Neither an id nor a domain name has a space. */
const keyOf = (accountId: string, name: string): string => `${accountId} ${name}`;

async function query(database: Database, group: Question[]): Promise<(SendingDomain | null)[]> {
  const { rows } = await database.query<SendingDomain>({
    name: 'domains-active',
    text: ACTIVE,
    values: [group.map((q) => q.accountId), group.map((q) => q.name)],
  });
  const found = new Map(rows.map((row) => [keyOf(row.accountId, row.name), row]));
  return group.map(({ accountId, name }) => found.get(keyOf(accountId, name)) ?? null);
}
