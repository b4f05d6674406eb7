import { Injectable } from '@nestjs/common';
import { AuditLog } from '#libs/accounts';
import { isId, newId } from '#libs/contracts';
import { Config, SecretBox } from '#libs/kernel';
import { normaliseAddress } from '#libs/mime';
import { Database } from '#libs/persistence';
import { ErasedAddresses } from '#libs/suppressions';
import { erasure, type ErasureRow, type ErasureView } from './erasure.resource.js';
import { toReceipt } from './receipt.js';

const COLUMNS = erasure.columns;

/** Requests to erase a recipient of an account. The address is stored encrypted, and only until the erasure is completed. */
@Injectable()
export class Erasures {
  private readonly erased: ErasedAddresses;

  constructor(
    private readonly database: Database,
    private readonly secretBox: SecretBox,
    private readonly config: Config,
    private readonly audit: AuditLog,
  ) {
    this.erased = new ErasedAddresses(config);
  }

  /**
   * Requests the erasure of an address, which the field rule has checked. One that has not been completed is returned instead of a
   * second one.
   * @param by the API key or user, or `operator`
   */
  async request(accountId: string, email: string, by: { actor: string; ip?: string }): Promise<ErasureView> {
    const address = normaliseAddress(email.trim());
    const erasedAs = this.erased.of(accountId, address);
    const id = newId('ers');
    await this.database.transaction(async (tx) => {
      const sealed = this.secretBox.seal(JSON.stringify([address]), id);
      const { rowCount } = await tx.query(
        `INSERT INTO erasures (id, account_id, erased_as, sealed) VALUES ($1, $2, $3, $4)
         ON CONFLICT (account_id, erased_as) WHERE finished_at IS NULL DO NOTHING`,
        [id, accountId, erasedAs, sealed],
      );
      if (rowCount > 0)
        await this.audit.record(tx, {
          accountId,
          ...by,
          action: 'erasure.requested',
          target: id,
          details: { erased_as: erasedAs },
        });
    });
    const { rows } = await this.database.query<ErasureRow>(
      `SELECT ${COLUMNS} FROM erasures WHERE account_id = $1 AND erased_as = $2 ORDER BY id DESC LIMIT 1`,
      [accountId, erasedAs],
    );
    return this.toView(rows[0]);
  }

  /** Null if the account has no such erasure. */
  async find(accountId: string, id: string): Promise<ErasureView | null> {
    if (!isId('ers', id)) return null;
    const { rows } = await this.database.query<ErasureRow>(
      `SELECT ${COLUMNS} FROM erasures WHERE account_id = $1 AND id = $2`,
      [accountId, id],
    );
    return rows.length === 0 ? null : this.toView(rows[0]);
  }

  /** For the operator. Null if there is no such erasure. */
  async findAny(id: string): Promise<ErasureView | null> {
    const { rows } = await this.database.query<ErasureRow>(`SELECT ${COLUMNS} FROM erasures WHERE id = $1`, [id]);
    return rows.length === 0 ? null : this.toView(rows[0]);
  }

  private toView(row: ErasureRow): ErasureView {
    return erasure.toView(row, { object: 'erasure', receipt: toReceipt(row, this.config.settings) });
  }
}
