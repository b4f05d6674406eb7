import { newId } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';
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

const RECORD = {
  name: 'audit-log-record',
  text: `INSERT INTO audit_log (id, account_id, actor, action, target, details)
         SELECT * FROM json_to_recordset($1::json)
                    AS v (id text, account_id text, actor text, action text, target text, details jsonb)`,
};

/** Records who changed what. */
@Injectable()
export class AuditLog {
  /** Call it in the transaction of the actions. */
  async record(tx: Queryable, ...entries: AuditEntry[]): Promise<void> {
    const rows = entries.map(({ accountId, ...rest }) => ({ id: newId('aud'), account_id: accountId, ...rest }));
    await tx.query({ ...RECORD, values: [JSON.stringify(rows)] });
  }
}
