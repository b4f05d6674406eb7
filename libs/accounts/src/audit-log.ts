import { isIP } from 'node:net';
import { lowestIdAt, newId, type AddressErasure, type ErasedBatch, type Page, type PageRequest } from '#libs/contracts';
import { databaseClock } from '#libs/kernel';
import { Database, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { auditEntry, type AuditEntryView, type AuditRow } from './audit-entry.resource.js';

/** An action that must be traceable later. */
export interface AuditEntry {
  accountId: string;
  /** The id of the API key or of the user; `operator` for whoever operates the service. */
  actor: string;
  /** For example `suppression.removed`. */
  action: string;
  /** The id of the changed object. */
  target: string;
  /** Properties of the object that cannot be looked up any more. No secrets. */
  details: Readonly<Record<string, unknown>>;
  /** The address of the client, where there is one. */
  ip?: string | null;
}

/** Selects actions; all if empty. */
export interface AuditFilter {
  actor?: string;
  /** An action, or the part before its dot for all actions of a kind, such as `member`. */
  action?: string;
  target?: string;
  /** Inclusive. */
  createdAfter?: Date;
  /** Exclusive. */
  createdBefore?: Date;
}

/** All columns of an action, or null columns if none was found. */
type ScannedRow = (AuditRow | Record<keyof AuditRow, null>) & { scanned: number; last_id: string | null };

/** The largest number of rows that are scanned for one page. */
const MAX_SCANNED = 10_000;
/** Entries that one batch of an erasure reads. */
const ERASURE_SCANNED = 5_000;
const { columns } = auditEntry;
/** Of a new entry; the database sets its time. */
const GIVEN = 'id, account_id, actor, action, target, details, ip';

const RECORD = {
  name: 'audit-log-record',
  text: `INSERT INTO audit_log (${GIVEN}) SELECT ${GIVEN} FROM json_populate_recordset(NULL::audit_log, $1::json)`,
};

const page = (order: 'ASC' | 'DESC') => ({
  name: `audit-log-page-${order}`,
  text: `WITH candidates AS MATERIALIZED (
           SELECT ${columns} FROM audit_log WHERE account_id = $1 AND id >= $2 AND id < $3
            ORDER BY id ${order} LIMIT $4),
         ends AS (SELECT count(*)::int AS scanned, ${order === 'DESC' ? 'min' : 'max'}(id) AS last_id FROM candidates),
         chosen AS (
           SELECT * FROM candidates
            WHERE ($5::text IS NULL OR actor = $5) AND ($6::text IS NULL OR action = $6 OR split_part(action, '.', 1) = $6)
              AND ($7::text IS NULL OR target = $7)
              AND ($9::timestamptz IS NULL OR created_at < $9)
            ORDER BY id ${order} LIMIT $8)
         SELECT ends.scanned, ends.last_id, chosen.* FROM ends LEFT JOIN chosen ON true ORDER BY id ${order}`,
});
const NEWEST_FIRST = page('DESC');
const OLDEST_FIRST = page('ASC');

/** Reads who changed what. */
@Injectable()
export class AuditHistory {
  constructor(private readonly database: Database) {}

  /**
   * The actions in an account, newest first. A page has a bounded cost: if a filter matches few of many actions, it is short,
   * `has_more` is true, and its cursor leads on.
   */
  async page(accountId: string, request: PageRequest, filter: AuditFilter = {}): Promise<Page<AuditEntryView>> {
    const { limit } = request;
    // Ids are ahead of the time for a while after the clock was set back.
    const before = filter.createdBefore && databaseClock.latestOf(filter.createdBefore);
    const isAhead = before !== undefined && before > (filter.createdBefore as Date);
    const isFiltered = isAhead || [filter.actor, filter.action, filter.target].some((part) => part !== undefined);
    const scanLimit = isFiltered ? MAX_SCANNED : limit + 1;
    const { rows } = await this.database.query<ScannedRow>({
      ...(request.before === undefined ? NEWEST_FIRST : OLDEST_FIRST),
      values: [
        ...[accountId, ...idRange(request, { ...filter, createdBefore: before }), scanLimit],
        ...[filter.actor ?? null, filter.action ?? null, filter.target ?? null, limit + 1],
        isAhead ? filter.createdBefore : null,
      ],
    });
    return toAuditPage(request, rows);
  }
}

function toAuditPage({ limit, before }: PageRequest, rows: ScannedRow[]): Page<AuditEntryView> {
  const [{ scanned, last_id }] = rows;
  const found = rows.filter((row): row is ScannedRow & AuditRow => row.id !== null);
  const shown = found.slice(0, limit);
  const isCut = found.length > limit;
  const has_more = isCut || scanned === MAX_SCANNED;
  const next = isCut ? shown[shown.length - 1].id : last_id;
  if (before !== undefined) shown.reverse();
  return {
    object: 'list',
    has_more,
    data: shown.map((row) => auditEntry.toView(row, { object: 'audit_entry' })),
    next_cursor: has_more ? next : null,
  };
}

/** Ids contain their time. The smallest text after an id is the id and `0`. */
function idRange({ after, before }: PageRequest, { createdAfter, createdBefore }: AuditFilter): [string, string] {
  const above = ['aud_', ...(before === undefined ? [] : [`${before}0`])];
  const below = ['aud_g', ...(after === undefined ? [] : [after])];
  if (createdAfter) above.push(lowestIdAt('aud', createdAfter));
  if (createdBefore) below.push(lowestIdAt('aud', createdBefore));
  return [above.reduce((a, b) => (a > b ? a : b)), below.reduce((a, b) => (a < b ? a : b))];
}

/** Records who changed what. */
@Injectable()
export class AuditLog {
  /** Call it in the transaction of the actions. */
  async record(tx: Queryable, ...entries: AuditEntry[]): Promise<void> {
    const rows = entries.map(({ accountId, ip, ...rest }) => ({
      id: newId('aud'),
      account_id: accountId,
      ip: storedAddress(ip),
      ...rest,
    }));
    await tx.query({ ...RECORD, values: [JSON.stringify(rows)] });
  }

  /** Replaces an erased address in the entries of its account, from the id in `cursor` on ('' for the beginning). */
  async erase(db: Queryable, erasure: AddressErasure, cursor: string): Promise<ErasedBatch> {
    const { rows } = await db.query<{ id: string; target: string; details: unknown }>(
      `SELECT id, target, details FROM audit_log WHERE account_id = $1 AND id > $2 ORDER BY account_id, id LIMIT $3`,
      [erasure.accountId, cursor, ERASURE_SCANNED],
    );
    let erased = 0;
    for (const { id, target, details } of rows) {
      const after = erasure.rewriteJson({ target, details });
      if (JSON.stringify(after) === JSON.stringify({ target, details })) continue;
      await db.query('UPDATE audit_log SET target = $2, details = $3 WHERE id = $1', [
        id,
        after.target,
        JSON.stringify(after.details),
      ]);
      erased += 1;
    }
    return { rows: erased, cursor: rows.length === ERASURE_SCANNED ? rows[rows.length - 1].id : null };
  }
}

/** Behind a proxy that is trusted without a check, an address is any text. */
const storedAddress = (ip: string | null | undefined): string | null =>
  ip && isIP(ip) !== 0 ? ip.replace(/^::ffff:(?=\d+\.)/, '') : null;
