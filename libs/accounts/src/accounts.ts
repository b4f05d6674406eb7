import { newId, Refusal } from '#libs/contracts';
import { SecretBox } from '#libs/kernel';
import { Database, recordMasterKey, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AccountEntity, type Standing } from './account.entity.js';

/** The accounts of this service. Every program applies a change of standing within a second. */
@Injectable()
export class Accounts {
  constructor(
    @InjectRepository(AccountEntity) private readonly repository: Repository<AccountEntity>,
    private readonly database: Database,
    private readonly secretBox: SecretBox,
  ) {}

  /** @throws ConfigError when the database was made with another master key */
  create(account: { name: string; plan: string }): Promise<{ id: string }> {
    return this.database.transaction((tx) => this.createIn(tx, account));
  }

  /** The same in a transaction. */
  async createIn(tx: Queryable, { name, plan }: { name: string; plan: string }): Promise<{ id: string }> {
    const id = newId('acc');
    await recordMasterKey(tx, this.secretBox);
    await tx.query('INSERT INTO accounts (id, name, plan) VALUES ($1, $2, $3)', [id, name, plan]);
    return { id };
  }

  find(id: string): Promise<AccountEntity | null> {
    return this.repository.findOneBy({ id });
  }

  /** Newest first. */
  list(): Promise<AccountEntity[]> {
    return this.repository.find({ order: { id: 'DESC' } });
  }

  count(): Promise<number> {
    return this.repository.count();
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
