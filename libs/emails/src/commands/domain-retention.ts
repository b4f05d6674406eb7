import { Injectable } from '@nestjs/common';
import { lowestIdAt } from '#libs/contracts';
import { DomainRetentionPeriods, type DomainPeriods } from '#libs/domains';
import { Config, databaseClock } from '#libs/kernel';
import { Database, type Queryable } from '#libs/persistence';
import { deleteContents } from '../message/content/stored-contents.js';

/** Messages per transaction. Short transactions hold their locks for a short time only. */
const BATCH = 500;

/** The rows are locked, so that no message is sent again while its content is deleted. */
const NEXT_EMAILS = `
  SELECT id FROM emails WHERE domain_id = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT $4 FOR NO KEY UPDATE`;

const UNSETTLED = `
  SELECT email_id AS id FROM recipients
   WHERE email_id = ANY($1) AND (due_at IS NOT NULL OR claimed_by IS NOT NULL) GROUP BY email_id`;

const PROGRESS = 'SELECT contents_until AS until FROM domain_retention WHERE domain_id = $1';

const SET_PROGRESS = `
  INSERT INTO domain_retention (domain_id, contents_until) VALUES ($1, $2)
  ON CONFLICT (domain_id) DO UPDATE SET contents_until = excluded.contents_until`;

const FORGET_REMOVED = 'DELETE FROM domain_retention WHERE NOT (domain_id = ANY($1))';

const DELETE_CAPTURED = `
  DELETE FROM captured_messages WHERE id IN (
    SELECT c.id FROM captured_messages c
     WHERE c.account_id = $1 AND c.id < $3 AND (SELECT e.domain_id FROM emails e WHERE e.id = c.email_id) = $2
     ORDER BY c.id LIMIT $4 FOR UPDATE SKIP LOCKED)`;

interface Deleted {
  contents: number;
  captured: number;
}

/**
 * Deletes content and captured messages of domains whose periods are shorter than those of the service. Everything else is
 * deleted by partition.
 */
@Injectable()
export class DomainRetention {
  constructor(
    private readonly database: Database,
    private readonly periods: DomainRetentionPeriods,
    private readonly config: Config,
  ) {}

  async prune(now = databaseClock.date()): Promise<Deleted> {
    const { RETENTION_BODIES, RETENTION_CAPTURED } = this.config.settings;
    const before = (ms: number) => new Date(now.getTime() - ms);
    const deleted = { contents: 0, captured: 0 };
    const domains = await this.periods.list();
    for (const domain of domains) {
      const { bodies, captured } = domain;
      if (bodies !== null && bodies < RETENTION_BODIES)
        deleted.contents += await this.contents(domain.id, lowestIdAt('em', before(bodies)));
      if (captured !== null && captured < RETENTION_CAPTURED)
        deleted.captured += await this.captured(domain, lowestIdAt('cap', before(captured)));
    }
    await this.database.query(FORGET_REMOVED, [domains.map(({ id }) => id)]);
    return deleted;
  }

  /** Of settled messages below `end`. Those of the oldest unsettled one and of newer ones are looked at again in the next round. */
  private async contents(domainId: string, end: string): Promise<number> {
    const { rows } = await this.database.query<{ until: string }>(PROGRESS, [domainId]);
    let from = rows.at(0)?.until ?? '';
    let oldestUnsettled: string | null = null;
    let deleted = 0;
    for (let isDone = from >= end; !isDone;) {
      const batch = await this.database.transaction((tx) => deleteBatch(tx, { domainId, from, end }));
      deleted += batch.deleted;
      oldestUnsettled ??= batch.oldestUnsettled;
      isDone = batch.next === null;
      from = batch.next ?? end;
      await this.database.query(SET_PROGRESS, [domainId, oldestUnsettled ?? from]);
    }
    return deleted;
  }

  private async captured({ id, accountId }: DomainPeriods, end: string): Promise<number> {
    for (let deleted = 0; ;) {
      const { rowCount } = await this.database.query(DELETE_CAPTURED, [accountId, id, end, BATCH]);
      deleted += rowCount;
      if (rowCount < BATCH) return deleted;
    }
  }
}

interface Range {
  domainId: string;
  from: string;
  end: string;
}

/** `next`: where the following batch begins; null after the last one. */
async function deleteBatch(tx: Queryable, { domainId, from, end }: Range) {
  const { rows } = await tx.query<{ id: string }>(NEXT_EMAILS, [domainId, from, end, BATCH]);
  const ids = rows.map(({ id }) => id);
  const unsettled = new Set((await tx.query<{ id: string }>(UNSETTLED, [ids])).rows.map(({ id }) => id));
  const settled = ids.filter((id) => !unsettled.has(id));
  const deleted = await deleteContents(tx, settled);
  const last = ids.at(-1);
  return {
    deleted,
    oldestUnsettled: ids.find((id) => unsettled.has(id)) ?? null,
    // No id is between it and the next one.
    next: ids.length < BATCH || last === undefined ? null : `${last}0`,
  };
}
