import { newId, Refusal } from '#libs/contracts';
import { Config, SecretBox } from '#libs/kernel';
import { Database, type Queryable, installation } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, IsNull, Not, Repository } from 'typeorm';
import {
  account,
  AccountEntity,
  toAccountView,
  type AbuseLimits,
  type AccountChange,
  type AccountPenalty,
  type AccountRow,
  type AccountView,
  type PoolChoice,
  type Standing,
} from './account.resource.js';
import { AuditLog, type AuditEntry } from './audit-log.js';
import { announcePool, changeTo, newPenalty } from './brakes/pool-change.js';
import { NO_OUTCOMES } from './brakes/sending-outcomes.js';
import type { OperatorAccountChange } from './operator-account.resource.js';
import { resumeSending } from './brakes/sending-pause.js';

/** The actor of actions of the operator in the audit log of the account that they concern. */
export const OPERATOR = 'operator';

/** The person who operates the service, in the first account; null for the command line. */
export type ChangedBy = { accountId: string; userId: string; ip?: string } | null;

/** The accounts of this service. Every program applies a change of standing within a second. */
@Injectable()
export class Accounts {
  constructor(
    @InjectRepository(AccountEntity) private readonly repository: Repository<AccountRow>,
    private readonly database: Database,
    private readonly secretBox: SecretBox,
    private readonly config: Config,
    private readonly audit: AuditLog = new AuditLog(),
  ) {}

  /** @throws ConfigError when the database was made with another master key */
  create(
    given: { name: string; plan: string; notifyAddresses?: string[] },
    by: ChangedBy = null,
  ): Promise<{ id: string }> {
    return this.database.transaction(async (tx) => {
      const created = await this.createIn(tx, given);
      const details = { name: given.name, plan: given.plan };
      if (by) await this.recordOperation(tx, by, { action: 'account.created', target: created.id, details });
      return created;
    });
  }

  /** The same in a transaction. */
  async createIn(
    tx: Queryable,
    { name, plan, notifyAddresses = [] }: { name: string; plan: string; notifyAddresses?: string[] },
  ): Promise<{ id: string }> {
    const id = newId('acc');
    await installation.recordMasterKey(tx, this.secretBox);
    await tx.query('INSERT INTO accounts (id, name, plan, notify_addresses) VALUES ($1, $2, $3, $4)', [
      id,
      name,
      plan,
      notifyAddresses,
    ]);
    await installation.recordFirstAccount(tx, id);
    return { id };
  }

  find(id: string): Promise<AccountRow | null> {
    return this.repository.findOneBy({ id });
  }

  findAll(ids: readonly string[]): Promise<AccountRow[]> {
    return this.repository.findBy({ id: In([...ids]) });
  }

  /** The account as its owner sees it. @throws Refusal not_found */
  async view(id: string): Promise<AccountView> {
    const row = await this.find(id);
    if (row === null) throw new Refusal('not_found', [], `There is no account ${id}.`);
    return toAccountView(row);
  }

  /**
   * Changes what the owner may change. The values have been checked by the field rules.
   * @param by the API key or user, or `operator`
   * @throws Refusal not_found
   */
  async change(id: string, change: AccountChange, by: { actor: string; ip?: string }): Promise<AccountView> {
    const { columns, values } = account.settingsSql(withoutSurroundingSpaces(change), 2);
    const fields = columns.map(([column]) => column);
    if (fields.length > 0)
      await this.database.transaction(async (tx) => {
        const { rowCount } = await tx.query(
          `UPDATE accounts SET ${columns.map((one) => one.join(' = ')).join(', ')} WHERE id = $1`,
          [id, ...values],
        );
        requireFound(rowCount, id);
        await this.audit.record(tx, {
          accountId: id,
          ...by,
          action: 'account.updated',
          target: id,
          details: { fields },
        });
      });
    return this.view(id);
  }

  /** Newest first. For the command line; pages use `AccountDirectory`. */
  list(): Promise<AccountRow[]> {
    return this.repository.find({ order: { id: 'DESC' } });
  }

  count(): Promise<number> {
    return this.repository.count();
  }

  /** Accounts that may not send because of bounces or complaints. */
  countPaused(): Promise<number> {
    return this.repository.countBy({ sending_pause: Not(IsNull()) });
  }

  /** Accounts whose mail leaves from the penalty pool. */
  countPenalised(): Promise<number> {
    return this.repository.countBy({ penalty: Not(IsNull()) });
  }

  /** The first account of this installation, which belongs to the operator. */
  async first(): Promise<{ id: string; standing: Standing } | null> {
    const { rows } = await this.database.query<{ id: string; standing: Standing }>(
      'SELECT a.id, a.standing FROM accounts a JOIN installation i ON i.first_account_id = a.id',
    );
    return rows.at(0) ?? null;
  }

  /** @throws Refusal not_found */
  async setStanding(id: string, standing: Standing, by: ChangedBy = null): Promise<void> {
    await this.database.transaction(async (tx) => {
      const { rows } = await tx.query<{ standing: Standing }>(
        'SELECT standing FROM accounts WHERE id = $1 FOR UPDATE',
        [id],
      );
      requireFound(rows.length, id);
      const [{ standing: before }] = rows;
      if (before === standing) return;
      await tx.query('UPDATE accounts SET standing = $2 WHERE id = $1', [id, standing]);
      const details = { from: before, to: standing };
      await this.recordOperation(tx, by, { action: 'account.standing_changed', target: id, details });
    });
  }

  /**
   * Lifts the pause of an account whose mail bounced or was complained about; counting begins anew. False if it is not
   * paused.
   * @throws Refusal not_found
   */
  async resume(id: string, by: ChangedBy = null): Promise<boolean> {
    if ((await this.find(id)) === null) throw new Refusal('not_found', [], `There is no account ${id}.`);
    return this.database.transaction(async (tx) => {
      if (!(await resumeSending(tx, id))) return false;
      await this.recordOperation(tx, by, { action: 'account.resumed', target: id, details: {} });
      return true;
    });
  }

  /**
   * `free`, `unlimited` or a number of units per month. The usage of this month remains; warnings start again with the new
   * limit.
   * @throws Refusal not_found
   */
  async setPlan(id: string, plan: string, by: ChangedBy = null): Promise<void> {
    await this.database.transaction(async (tx) => {
      // The same lock order as a reservation: first the row of the month.
      await tx.query('UPDATE allowances SET warned_percent = 0 WHERE account_id = $1', [id]);
      const { rowCount } = await tx.query('UPDATE accounts SET plan = $2 WHERE id = $1', [id, plan]);
      requireFound(rowCount, id);
      await this.recordOperation(tx, by, { action: 'account.plan_changed', target: id, details: { plan } });
    });
  }

  /**
   * Decides which source addresses the mail of an account leaves from; `auto` leaves it to the limits. The owner is told if
   * it moves.
   * @throws Refusal not_found; validation_error for `penalty` without a penalty pool
   */
  async setPool(id: string, choice: PoolChoice, by: ChangedBy = null): Promise<void> {
    if (choice === 'penalty' && this.config.settings.PENALTY_POOL === undefined)
      throw new Refusal('validation_error', [
        { field: 'pool', code: 'no_penalty_pool', message: 'must be auto or default, because PENALTY_POOL is not set' },
      ]);
    await this.database.transaction(async (tx) => {
      const { rows } = await tx.query<{ pool_choice: PoolChoice; penalty: AccountPenalty | null; sequence: number }>(
        'SELECT pool_choice, penalty, sequence FROM accounts WHERE id = $1 FOR UPDATE',
        [id],
      );
      requireFound(rows.length, id);
      const [before] = rows;
      if (before.pool_choice === choice) return;
      const penalty = penaltyAfter(choice, before.penalty);
      const isMoved = (penalty === null) !== (before.penalty === null);
      const sequence = before.sequence + (isMoved ? 1 : 0);
      await tx.query('UPDATE accounts SET pool_choice = $2, penalty = $3, sequence = $4 WHERE id = $1', [
        id,
        choice,
        penalty === null ? null : JSON.stringify(penalty),
        sequence,
      ]);
      const change = changeTo(penalty === null ? 'default' : 'penalty', penalty);
      if (isMoved) await announcePool(tx, { accountId: id, sequence, change });
      const details = { from: before.pool_choice, to: choice };
      await this.recordOperation(tx, by, { action: 'account.pool_changed', target: id, details });
    });
  }

  /**
   * Sets limits of the brakes for one account, in place of those of the settings; null removes one. The values have been
   * checked by the field rules.
   * @throws Refusal not_found
   */
  async setAbuseLimits(id: string, limits: AbuseLimits, by: ChangedBy = null): Promise<void> {
    const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
    if (Object.keys(given).length === 0) return;
    await this.database.transaction(async (tx) => {
      const { rowCount } = await tx.query(
        'UPDATE accounts SET abuse_limits = jsonb_strip_nulls(abuse_limits || $2) WHERE id = $1',
        [id, JSON.stringify(given)],
      );
      requireFound(rowCount, id);
      await this.recordOperation(tx, by, { action: 'account.limits_changed', target: id, details: given });
    });
  }

  /**
   * The changes of `PATCH /operator/accounts/:id`. The values have been checked by the field rules.
   * @throws Refusal not_found, or as `setPool`
   */
  async changeAsOperator(id: string, change: OperatorAccountChange, by: ChangedBy): Promise<void> {
    const { plan, pool, bounce_limit_percent: bounce_percent, complaint_limit_percent: complaint_percent } = change;
    // The only one that can be refused comes first.
    if (pool !== undefined) await this.setPool(id, pool, by);
    if (plan !== undefined) await this.setPlan(id, plan, by);
    await this.setAbuseLimits(id, { bounce_percent, complaint_percent }, by);
  }

  /** In the audit log of the account, which does not name the person, and in that of the first account. */
  private async recordOperation(
    tx: Queryable,
    by: ChangedBy,
    entry: Pick<AuditEntry, 'action' | 'target' | 'details'>,
  ): Promise<void> {
    const own = by && { ...entry, accountId: by.accountId, actor: by.userId, ip: by.ip };
    const customers = { ...entry, accountId: entry.target, actor: OPERATOR };
    if (own === null) return this.audit.record(tx, customers);
    return own.accountId === entry.target ? this.audit.record(tx, own) : this.audit.record(tx, customers, own);
  }
}

function penaltyAfter(choice: PoolChoice, before: AccountPenalty | null): AccountPenalty | null {
  switch (choice) {
    case 'penalty':
      return before ?? newPenalty(null, NO_OUTCOMES);
    case 'default':
      return null;
    case 'auto':
      return before?.reason === 'operator' ? null : before;
  }
}

const withoutSurroundingSpaces = ({ name, notify_addresses: addresses }: AccountChange): AccountChange => ({
  name: name?.trim(),
  notify_addresses: addresses && [...new Set(addresses.map((address) => address.trim()))],
});

function requireFound(affected: number | null | undefined, id: string): void {
  if (!affected) throw new Refusal('not_found', [], `There is no account ${id}.`);
}
