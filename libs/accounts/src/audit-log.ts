import { newId } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';

/** Who did what to which thing of an account. */
export interface AuditEntry {
  accountId: string;
  /** The key that asked. */
  actor: string;
  /** `suppression.removed`. */
  action: string;
  /** The id of the thing. */
  target: string;
  /** What the thing was, as far as it cannot be looked up any more. No secrets. */
  facts: Readonly<Record<string, unknown>>;
}

const RECORD = {
  name: 'audit-log-record',
  text: `INSERT INTO audit_log (id, account_id, actor, action, target, facts)
         SELECT * FROM json_to_recordset($1::json)
                    AS v (id text, account_id text, actor text, action text, target text, facts jsonb)`,
};

/** Deeds that somebody may have to account for later. */
@Injectable()
export class AuditLog {
  /** In the transaction of the deeds: neither is there without the other. */
  async record(tx: Queryable, ...entries: AuditEntry[]): Promise<void> {
    const rows = entries.map(({ accountId, ...rest }) => ({ id: newId('aud'), account_id: accountId, ...rest }));
    await tx.query({ ...RECORD, values: [JSON.stringify(rows)] });
  }
}
