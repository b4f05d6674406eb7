import { Injectable } from '@nestjs/common';
import { isId, LIMITS, Refusal, seesDomain, type SettingsSql, type Visibility } from '#libs/contracts';
import { Config, LocalNotifications, SecretBox } from '#libs/kernel';
import { outbox, Database, type Queryable } from '#libs/persistence';
import {
  type DomainTransactionHook,
  DOMAIN_COLUMNS,
  type DomainRow,
  newDomain,
  type NewDomain,
  recheckOtherEntries,
} from './model/domain-row.js';
import { claimableName } from './model/domain-rules.js';
import { insertKeys } from './dkim/key-rows.js';
import { KeyPool } from './dkim/key-pool.js';
import { domainEvent } from './model/domain-event.js';
import { toDomainView } from './model/domain-view.js';
import { domain, type DomainSettings, type DomainView } from './domain.resource.js';
import { SendingDomains } from './sending-domains.js';

type ChangedRow = DomainRow & { sequence: number; now: Date };

/** Minimal interval of checks on request. */
const MIN_CHECK_REQUEST_INTERVAL_S = 10;

/** `$1` to `$4`: id, account, name, selector. */
const insertSql = (settings: SettingsSql['columns']): string => {
  const [columns, parameters] = [0, 1].map((part) => settings.map((setting) => `, ${setting[part]}`).join(''));
  return `
  INSERT INTO domains (id, account_id, name, selector${columns}, sequence, due_at)
  VALUES ($1, $2, $3, $4${parameters}, 1, now())
  ON CONFLICT (account_id, name) DO NOTHING`;
};

/** `$1` and `$2`: account, id. No row if the settings change nothing. */
const changeSql = (settings: SettingsSql['columns']): string => `
  UPDATE domains SET ${settings.map(([column, value]) => `${column} = ${value}, `).join('')}sequence = sequence + 1, updated_at = now()
   WHERE id = $2 AND account_id = $1
     AND (${settings.map(([column, value]) => `${column} IS DISTINCT FROM ${value}`).join(' OR ') || 'false'})
  RETURNING ${DOMAIN_COLUMNS}, sequence, now() AS now`;

const READ = `SELECT ${DOMAIN_COLUMNS}, sequence, now() AS now FROM domains WHERE id = $1`;

/** The new fence invalidates a check that is running. */
const REQUEST_CHECK = `
  UPDATE domains SET check_requested_at = now(), due_at = now(), fence = fence + 1
   WHERE id = $2 AND account_id = $1 AND due_at IS NOT NULL
     AND (check_requested_at IS NULL OR check_requested_at <= now() - make_interval(secs => $3))`;

/** Adds, changes and removes domains of accounts. `DomainVerifier` decides by DNS whether a domain may send. */
@Injectable()
export class DomainEntries {
  private readonly keys = new KeyPool();

  constructor(
    private readonly database: Database,
    private readonly sendingDomains: SendingDomains,
    private readonly secretBox: SecretBox,
    private readonly config: Config,
    private readonly notifications: LocalNotifications,
  ) {}

  /**
   * Adds a pending entry that is checked at once. Other accounts may have entries of the same name; DNS decides between them.
   * @throws Refusal validation_error for an invalid name, conflict when the account has it already or has too many domains
   */
  async add(
    accountId: string,
    written: string,
    { alongside, ...settings }: DomainSettings & { alongside?: DomainTransactionHook } = {},
  ): Promise<DomainView> {
    const name = claimableName(written, this.config.settings.SERVICE_DOMAIN);
    // Before keys are generated, which is costly; repeated inside the transaction.
    await assertAddable(this.database, accountId, name);
    const entry = await newDomain({ account_id: accountId, name }, this.keys, this.secretBox);
    const row = await this.database.transaction(async (tx) => {
      // One at a time per account, so that the limit is not exceeded.
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('domains ' || $1, 0))`, [accountId]);
      await assertAddable(tx, accountId, name);
      const added = await this.insert(tx, entry, settings);
      await alongside?.(tx, { id: added.id, accountId, name });
      return added;
    });
    this.notify('due-domains', 'outbox');
    return this.present(row);
  }

  /** Null for an unknown id and for a domain that the key does not see. */
  async change(visibility: Visibility, id: string, settings: DomainSettings): Promise<DomainView | null> {
    if (!isId('dom', id) || !seesDomain(visibility, id)) return null;
    const { accountId } = visibility;
    const { columns, values } = domain.settingsSql(settings, 3);
    const changed = await this.database.transaction(async (tx) => {
      const { rows } = await tx.query<ChangedRow>(changeSql(columns), [accountId, id, ...values]);
      for (const row of rows) await outbox.append(tx, [this.event(row, 'domain.updated', 'settings')]);
      return rows.at(0);
    });
    if (changed === undefined) return this.sendingDomains.view(visibility, id);
    this.sendingDomains.forget(accountId, changed.name);
    this.notify('outbox');
    return this.present(changed);
  }

  /**
   * Schedules a check for now and returns the present state. Null for an unknown id and for a domain that the key does not see.
   * @throws Refusal rate_limit_exceeded when a check was requested less than ten seconds ago
   */
  async requestCheck(visibility: Visibility, id: string): Promise<DomainView | null> {
    if (!isId('dom', id) || !seesDomain(visibility, id)) return null;
    const values = [visibility.accountId, id, MIN_CHECK_REQUEST_INTERVAL_S];
    const { rowCount } = await this.database.query(REQUEST_CHECK, values);
    const found = await this.sendingDomains.find(visibility, id);
    if (found === null) return null;
    if (rowCount === 0 && !found.vouched)
      throw new Refusal(
        'rate_limit_exceeded',
        [],
        `A check of this domain can be asked for once in ${MIN_CHECK_REQUEST_INTERVAL_S} seconds.`,
        MIN_CHECK_REQUEST_INTERVAL_S,
      );
    this.notify('due-domains');
    return this.sendingDomains.view(visibility, id);
  }

  /**
   * Removes an entry and its keys. Waiting mail fails with `domain_removed` when it is claimed.
   * @param alongside further changes in the same transaction, such as disabling API keys of the domain
   * @returns whether it existed and the key sees it
   */
  async remove(visibility: Visibility, id: string, alongside: DomainTransactionHook): Promise<boolean> {
    if (!isId('dom', id) || !seesDomain(visibility, id)) return false;
    const { accountId } = visibility;
    const removed = await this.database.transaction(async (tx) => {
      const { rows } = await tx.query<ChangedRow>(
        `DELETE FROM domains WHERE id = $2 AND account_id = $1
         RETURNING ${DOMAIN_COLUMNS}, sequence + 1 AS sequence, now() AS now`,
        [accountId, id],
      );
      for (const row of rows) {
        await outbox.append(tx, [this.event(row, 'domain.deleted', 'deleted')]);
        if (row.status === 'active') await recheckOtherEntries(tx, row.name);
        await alongside(tx, { id: row.id, accountId, name: row.name });
      }
      return rows.at(0);
    });
    if (removed === undefined) return false;
    this.sendingDomains.forget(accountId, removed.name);
    this.notify('due-domains', 'outbox');
    return true;
  }

  private async insert(tx: Queryable, entry: NewDomain, settings: DomainSettings): Promise<ChangedRow> {
    const { columns, values } = domain.settingsSql(settings, 5);
    const { rowCount } = await tx.query(insertSql(columns), [
      ...[entry.id, entry.account_id, entry.name, entry.selector],
      ...values,
    ]);
    // The operator vouched for the name between the two statements, which takes no lock.
    if (rowCount === 0) await assertAddable(tx, entry.account_id, entry.name);
    await insertKeys(tx, { ...entry, variant: 1, state: 'active' }, entry.keys);
    const { rows } = await tx.query<ChangedRow>(READ, [entry.id]);
    await outbox.append(tx, [this.event(rows[0], 'domain.created', 'created')]);
    return rows[0];
  }

  private event(
    row: ChangedRow,
    type: 'domain.created' | 'domain.updated' | 'domain.deleted',
    reason: 'created' | 'settings' | 'deleted',
  ) {
    return domainEvent(row, this.config.settings.SERVICE_DOMAIN, { type, reason, sequence: row.sequence, at: row.now });
  }

  private present(row: DomainRow): DomainView {
    return toDomainView(row, this.config.settings);
  }

  private notify(...topics: ('due-domains' | 'outbox')[]): void {
    for (const topic of topics) this.notifications.notify(topic);
  }
}

async function assertAddable(db: Queryable, accountId: string, name: string): Promise<void> {
  const { rows } = await db.query<{ id: string | null; entries: number }>(
    `SELECT (SELECT id FROM domains WHERE account_id = $1 AND name = $2) AS id,
            (SELECT count(*)::int FROM domains WHERE account_id = $1) AS entries`,
    [accountId, name],
  );
  const [{ id, entries }] = rows;
  if (id !== null) {
    const message = `is already in this account as ${id}`;
    throw new Refusal('conflict', [{ field: 'name', code: 'already_exists', message }], `${name} ${message}.`);
  }
  if (entries < LIMITS.domainsPerAccount) return;
  const message = `An account can have at most ${LIMITS.domainsPerAccount} domains.`;
  throw new Refusal('conflict', [{ field: '', code: 'limit_reached', message }], message);
}
