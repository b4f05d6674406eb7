import type { NoticeFacts, NoticeKind } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from './connection/database.js';

/** A notice to the owner of an account, to be mailed. */
export interface NoticeRequest<K extends NoticeKind = NoticeKind> {
  accountId: string;
  kind: K;
  facts: NoticeFacts[K];
  /** What tells notices of one kind apart, such as the id of the webhook. */
  subject?: string;
  /** The day (UTC) of the cause; absent: today. There is at most one notice per cause and day. */
  day?: Date;
}

/** A notice that has not been mailed yet. */
export type PendingNotice = {
  [K in NoticeKind]: {
    account_id: string;
    cause: string;
    day: string;
    kind: K;
    facts: NoticeFacts[K];
    created_at: Date;
  };
}[NoticeKind];

type NoticeKey = Pick<PendingNotice, 'account_id' | 'cause' | 'day'>;

const RETENTION = `interval '90 days'`;
const BY_KEY = 'account_id = $1 AND cause = $2 AND day = $3';

/**
 * Requests a notice in the transaction of its cause, so that it is sent exactly if the cause is committed. Does nothing if
 * there is one of this cause and day.
 */
export async function requestNotice<K extends NoticeKind>(tx: Queryable, of: NoticeRequest<K>): Promise<void> {
  const { accountId, kind, facts, subject, day } = of;
  await tx.query({
    name: 'notice-request',
    text: `INSERT INTO notices (account_id, cause, day, kind, facts)
           VALUES ($1, $2, coalesce($3::timestamptz, now()) AT TIME ZONE 'UTC', $4, $5)
           ON CONFLICT (account_id, cause, day) DO NOTHING`,
    values: [
      accountId,
      subject === undefined ? kind : `${kind} ${subject}`,
      day?.toISOString() ?? null,
      kind,
      JSON.stringify(facts),
    ],
  });
}

/** The notices that are to be mailed. Several programs may send at the same time: the key of a notice identifies its mail. */
@Injectable()
export class NoticeOutbox {
  constructor(private readonly database: Database) {}

  /** Oldest first. */
  async due(limit: number): Promise<PendingNotice[]> {
    const { rows } = await this.database.query<PendingNotice>(
      `SELECT account_id, cause, day::text, kind, facts, created_at FROM notices
        WHERE done_at IS NULL AND due_at <= now() ORDER BY due_at LIMIT $1`,
      [limit],
    );
    return rows;
  }

  /** False if another program was first. */
  async finish({ account_id, cause, day }: NoticeKey): Promise<boolean> {
    const { rowCount } = await this.database.query(
      `UPDATE notices SET done_at = now() WHERE ${BY_KEY} AND done_at IS NULL`,
      [account_id, cause, day],
    );
    return rowCount > 0;
  }

  /** It could not be sent and is due again later. */
  async retryIn({ account_id, cause, day }: NoticeKey, ms: number): Promise<void> {
    await this.database.query(
      `UPDATE notices SET due_at = now() + $4 * interval '1 millisecond' WHERE ${BY_KEY} AND done_at IS NULL`,
      [account_id, cause, day, ms],
    );
  }

  /** Deletes old notices; returns how many. */
  async prune(): Promise<number> {
    const { rowCount } = await this.database.query(
      `DELETE FROM notices WHERE (account_id, cause, day) IN (
         SELECT account_id, cause, day FROM notices WHERE created_at < now() - ${RETENTION} LIMIT 5000)`,
    );
    return rowCount;
  }
}
