import { newId, toPage, type Page, type PageRequest } from '#libs/contracts';
import { Database, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';

/** An action that must be traceable later. */
export interface AuditEntry {
  accountId: string;
  /** The id of the API key. */
  actor: string;
  /** For example `suppression.removed`. */
  action: string;
  /** The id of the changed object. */
  target: string;
  /** Properties of the object that cannot be looked up any more. No secrets. */
  details: Readonly<Record<string, unknown>>;
}

/** The API representation of an action. */
export interface AuditEntryView {
  id: string;
  object: 'audit_entry';
  actor: string;
  action: string;
  target: string;
  details: Readonly<Record<string, unknown>>;
  created_at: string;
}

interface AuditRow extends Omit<AuditEntryView, 'object' | 'created_at'> {
  created_at: Date;
}

const RECORD = {
  name: 'audit-log-record',
  text: `INSERT INTO audit_log (id, account_id, actor, action, target, details)
         SELECT * FROM json_to_recordset($1::json)
                    AS v (id text, account_id text, actor text, action text, target text, details jsonb)`,
};

const page = (order: 'ASC' | 'DESC') => ({
  name: `audit-log-page-${order}`,
  text: `SELECT id, actor, action, target, details, created_at FROM audit_log
          WHERE account_id = $1 AND ($2::text IS NULL OR id < $2) AND ($3::text IS NULL OR id > $3)
          ORDER BY id ${order} LIMIT $4`,
});
const NEWEST_FIRST = page('DESC');
const OLDEST_FIRST = page('ASC');

/** Reads who changed what. */
@Injectable()
export class AuditHistory {
  constructor(private readonly database: Database) {}

  /** The actions in an account, newest first. */
  async page(accountId: string, request: PageRequest): Promise<Page<AuditEntryView>> {
    const { limit, after, before } = request;
    const { rows } = await this.database.query<AuditRow>({
      ...(before === undefined ? NEWEST_FIRST : OLDEST_FIRST),
      values: [accountId, after, before, limit + 1],
    });
    return toPage(request, rows, {
      id: (row) => row.id,
      present: (row) => ({ ...row, object: 'audit_entry', created_at: row.created_at.toISOString() }),
    });
  }
}

/** Records who changed what. */
@Injectable()
export class AuditLog {
  /** Call it in the transaction of the actions. */
  async record(tx: Queryable, ...entries: AuditEntry[]): Promise<void> {
    const rows = entries.map(({ accountId, ...rest }) => ({ id: newId('aud'), account_id: accountId, ...rest }));
    await tx.query({ ...RECORD, values: [JSON.stringify(rows)] });
  }
}
