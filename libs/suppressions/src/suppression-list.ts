import { newId } from '#libs/contracts';
import { Database, GroupCommit, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { SuppressionEntity, type SuppressionOrigin } from './suppression.entity.js';

export interface NewSuppression {
  accountId: string;
  /** As `normaliseAddress` of mime leaves it. */
  address: string;
  origin: SuppressionOrigin;
  /** For people. */
  reason: string | null;
  /** The mail that led here. */
  sourceId: string | null;
  /** Absent: for ever. */
  expiresAt?: Date;
}

type Matches = Map<string, SuppressionOrigin>;
interface Question {
  accountId: string;
  addresses: string[];
}

/** About 4,000 addresses in one query; a mail has 150 at most. */
const MAX_QUERY_CHARACTERS = 128 * 1024;

const MATCHING = `
  SELECT q.question, s.address, s.origin
    FROM unnest($1::int[], $2::text[], $3::text[]) AS q (question, account_id, address)
    JOIN suppressions s ON s.account_id = q.account_id AND s.address = q.address
   WHERE s.expires_at IS NULL OR s.expires_at > now()`;

/** An expired entry counts as none; a lasting one is not shortened by one that expires. */
const ADD = `
  INSERT INTO suppressions AS old (id, account_id, address, origin, reason, source_id, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (account_id, address, (coalesce(domain_id, ''))) DO UPDATE
     SET id = excluded.id, origin = excluded.origin, reason = excluded.reason, source_id = excluded.source_id,
         expires_at = excluded.expires_at, created_at = now()
   WHERE old.expires_at <= now() OR excluded.expires_at IS NULL AND old.expires_at IS NOT NULL
      OR excluded.expires_at > old.expires_at`;

/** Addresses that an account's mail does not go to. All addresses in and out are normalised (D-49). */
@Injectable()
export class SuppressionList {
  private readonly questions: GroupCommit<Question, Matches>;

  constructor(
    @InjectRepository(SuppressionEntity) private readonly repository: Repository<SuppressionEntity>,
    private readonly database: Database,
  ) {
    this.questions = new GroupCommit({
      commit: (group) => this.query(group),
      maxItems: 500,
      maxBytes: MAX_QUERY_CHARACTERS,
      sizeOf: (question) => question.addresses.reduce((sum, address) => sum + address.length, 0),
      writers: 2,
    });
  }

  /**
   * Those of `addresses` that are on the account's list right now, each with its origin; the keys are the texts as
   * given. Callers that meet share one query. Never remembered: a removal counts at once.
   */
  async matching(accountId: string, addresses: string[]): Promise<Matches> {
    // PostgreSQL refuses U+0000 in text; such a text is on no list, and it must not fail the neighbours in the query.
    const askable = addresses.filter((address) => !address.includes('\0'));
    return askable.length === 0 ? new Map() : this.questions.add({ accountId, addresses: askable });
  }

  /**
   * Puts an address on the list, in the caller's transaction.
   * @returns false when an entry that lasts at least as long was there already; that one stays as it is.
   */
  async add(tx: Queryable, entry: NewSuppression): Promise<boolean> {
    const { accountId, address, origin, reason, sourceId, expiresAt = null } = entry;
    const values = [newId('sup'), accountId, address, origin, reason, sourceId, expiresAt];
    const { rowCount } = await tx.query({ name: 'suppressions-add', text: ADD, values });
    return rowCount === 1;
  }

  /** Counts at once. @returns false when the address was not on the account's list. */
  async remove(accountId: string, address: string): Promise<boolean> {
    const { affected } = await this.repository.delete({ accountId, address });
    return affected === 1;
  }

  private async query(group: Question[]): Promise<Matches[]> {
    const matches: Matches[] = group.map(() => new Map());
    const flat = group.flatMap(({ accountId, addresses }, i) =>
      addresses.map((address) => ({ i, accountId, address })),
    );
    const { rows } = await this.database.query<{ question: number; address: string; origin: SuppressionOrigin }>({
      name: 'suppressions-matching',
      text: MATCHING,
      values: [flat.map((q) => q.i), flat.map((q) => q.accountId), flat.map((q) => q.address)],
    });
    for (const row of rows) matches[row.question].set(row.address, row.origin);
    return matches;
  }
}
