import { newId, Refusal } from '#libs/contracts';
import { SecretBox } from '#libs/kernel';
import { Database, recordMasterKey, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, IsNull, Not, Repository } from 'typeorm';
import { AccountEntity, type Standing } from './account.entity.js';
import { columnsOf, toAccountView, type AccountChange, type AccountView } from './account-view.js';
import { AuditLog } from './audit-log.js';
import { resumeSending } from './brakes/sending-pause.js';

/** The accounts of this service. Every program applies a change of standing within a second. */
@Injectable()
export class Accounts {
  constructor(
    @InjectRepository(AccountEntity) private readonly repository: Repository<AccountEntity>,
    private readonly database: Database,
    private readonly secretBox: SecretBox,
    private readonly audit: AuditLog = new AuditLog(),
  ) {}

  /** @throws ConfigError when the database was made with another master key */
  create(account: { name: string; plan: string; notifyAddresses?: string[] }): Promise<{ id: string }> {
    return this.database.transaction((tx) => this.createIn(tx, account));
  }

  /** The same in a transaction. */
  async createIn(
    tx: Queryable,
    { name, plan, notifyAddresses = [] }: { name: string; plan: string; notifyAddresses?: string[] },
  ): Promise<{ id: string }> {
    const id = newId('acc');
    await recordMasterKey(tx, this.secretBox);
    await tx.query('INSERT INTO accounts (id, name, plan, notify_addresses) VALUES ($1, $2, $3, $4)', [
      id,
      name,
      plan,
      notifyAddresses,
    ]);
    return { id };
  }

  find(id: string): Promise<AccountEntity | null> {
    return this.repository.findOneBy({ id });
  }

  findAll(ids: readonly string[]): Promise<AccountEntity[]> {
    return this.repository.findBy({ id: In([...ids]) });
  }

  /** The account as its owner sees it. @throws Refusal not_found */
  async view(id: string): Promise<AccountView> {
    const account = await this.find(id);
    if (account === null) throw new Refusal('not_found', [], `There is no account ${id}.`);
    return toAccountView(account);
  }

  /**
   * Changes what the owner may change. The values have been checked by the field rules.
   * @param actor the API key, or `operator`
   * @throws Refusal not_found
   */
  async change(id: string, change: AccountChange, actor: string): Promise<AccountView> {
    const columns = columnsOf(change);
    const fields = Object.keys(columns);
    if (fields.length > 0)
      await this.database.transaction(async (tx) => {
        const { rowCount } = await tx.query(
          `UPDATE accounts SET name = coalesce($2, name), notify_addresses = coalesce($3, notify_addresses) WHERE id = $1`,
          [id, columns.name ?? null, columns.notify_addresses ?? null],
        );
        requireFound(rowCount, id);
        await this.audit.record(tx, {
          accountId: id,
          actor,
          action: 'account.updated',
          target: id,
          details: { fields },
        });
      });
    return this.view(id);
  }

  /** Newest first. */
  list(): Promise<AccountEntity[]> {
    return this.repository.find({ order: { id: 'DESC' } });
  }

  count(): Promise<number> {
    return this.repository.count();
  }

  /** Accounts that may not send because of bounces or complaints. */
  countPaused(): Promise<number> {
    return this.repository.countBy({ sendingPause: Not(IsNull()) });
  }

  /** The oldest account, which belongs to the operator. */
  async first(): Promise<{ id: string } | null> {
    const [account] = await this.repository.find({ order: { id: 'ASC' }, take: 1 });
    return account ?? null;
  }

  /** @throws Refusal not_found */
  async setStanding(id: string, standing: Standing): Promise<void> {
    const { affected } = await this.repository.update({ id }, { standing });
    requireFound(affected, id);
  }

  /**
   * Lifts the pause of an account whose mail bounced or was complained about; counting begins anew. False if it is not
   * paused.
   * @throws Refusal not_found
   */
  async resume(id: string, actor: string): Promise<boolean> {
    if ((await this.find(id)) === null) throw new Refusal('not_found', [], `There is no account ${id}.`);
    return this.database.transaction(async (tx) => {
      if (!(await resumeSending(tx, id))) return false;
      await this.audit.record(tx, { accountId: id, actor, action: 'account.resumed', target: id, details: {} });
      return true;
    });
  }

  /**
   * `free`, `unlimited` or a number of units per month. The usage of this month remains; warnings start again with the new
   * limit.
   * @throws Refusal not_found
   */
  async setPlan(id: string, plan: string): Promise<void> {
    await this.repository.manager.transaction(async (tx) => {
      // The same lock order as a reservation: first the row of the month.
      await tx.query('UPDATE allowances SET warned_percent = 0 WHERE account_id = $1', [id]);
      const { affected } = await tx.update(AccountEntity, { id }, { plan });
      requireFound(affected, id);
    });
  }
}

function requireFound(affected: number | null | undefined, id: string): void {
  if (!affected) throw new Refusal('not_found', [], `There is no account ${id}.`);
}
