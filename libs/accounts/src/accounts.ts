import { newId, Refusal } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AccountEntity, type Standing } from './account.entity.js';

/** The accounts of this service. Changes of standing reach every program within a second. */
@Injectable()
export class Accounts {
  constructor(@InjectRepository(AccountEntity) private readonly repository: Repository<AccountEntity>) {}

  async create({ name, plan }: { name: string; plan: string }): Promise<{ id: string }> {
    const id = newId('acc');
    await this.repository.insert({ id, name, plan, standing: 'active' });
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

  /** The account that was made first: the operator's own. */
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
   * `free`, `unlimited` or a number of units per month. What was used this month stays used; warnings start anew, by the
   * new limit. @throws Refusal not_found
   */
  async setPlan(id: string, plan: string): Promise<void> {
    await this.repository.manager.transaction(async (tx) => {
      // The row of the month first, as a reservation does.
      await tx.query('UPDATE allowances SET warned = 0 WHERE account_id = $1', [id]);
      const { affected } = await tx.update(AccountEntity, { id }, { plan });
      requireFound(affected, id);
    });
  }
}

function requireFound(affected: number | null | undefined, id: string): void {
  if (!affected) throw new Refusal('not_found', [], `There is no account ${id}.`);
}
