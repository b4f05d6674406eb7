import { isId, LIMITS, Refusal } from '#libs/contracts';
import { Config, SecretBox, Wakeups } from '#libs/kernel';
import { appendEvents, Database, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import type { AlongsideDomain } from './alongside-domain.js';
import { claimableName } from './claimable-name.js';
import { insertKeys } from './dkim/key-rows.js';
import { KeySupply } from './dkim/key-supply.js';
import type { TlsPolicy } from './domain.entity.js';
import { domainEvent } from './domain-event.js';
import { DOMAIN_COLUMNS, type DomainRow } from './domain-row.js';
import { presentDomain, type DomainView } from './domain-view.js';
import { newDomain, type NewDomain } from './new-domain.js';
import { SendingDomains } from './sending-domains.js';
import { wakeClaimants } from './wake-claimants.js';

/** What the owner of a domain may set. What is undefined stays as it is. */
export interface DomainSettings {
  openTracking?: boolean | undefined;
  clickTracking?: boolean | undefined;
  tls?: TlsPolicy | undefined;
}

type ChangedRow = DomainRow & { sequence: number; now: Date };

/** Seconds between checks that somebody asks for (D-45). */
const ASK_AGAIN_AFTER_S = 10;

const INSERT = `
  INSERT INTO domains (id, account_id, name, selector, open_tracking, click_tracking, tls, sequence, due_at)
  VALUES ($1, $2, $3, $4, coalesce($5, false), coalesce($6, false), coalesce($7, 'opportunistic'), 1, now())
  ON CONFLICT (account_id, name) DO NOTHING`;

const READ = `SELECT ${DOMAIN_COLUMNS}, sequence, now() AS now FROM domains WHERE id = $1`;

const CHANGE = `
  UPDATE domains SET open_tracking = coalesce($3, open_tracking), click_tracking = coalesce($4, click_tracking),
                     tls = coalesce($5, tls), sequence = sequence + 1, updated_at = now()
   WHERE id = $2 AND account_id = $1
     AND (open_tracking, click_tracking, tls)
         IS DISTINCT FROM (coalesce($3, open_tracking), coalesce($4, click_tracking), coalesce($5, tls))
  RETURNING ${DOMAIN_COLUMNS}, sequence, now() AS now`;

/** A check under way is of the past then: its fence is gone. */
const ASK = `
  UPDATE domains SET asked_at = now(), due_at = now(), fence = fence + 1
   WHERE id = $2 AND account_id = $1 AND due_at IS NOT NULL
     AND (asked_at IS NULL OR asked_at <= now() - make_interval(secs => $3))`;

/** How accounts add, set and remove their domains. Whether a domain may send is for DNS to say (`DomainVerifier`). */
@Injectable()
export class DomainEntries {
  private readonly keys = new KeySupply();

  constructor(
    private readonly database: Database,
    private readonly sendingDomains: SendingDomains,
    private readonly secretBox: SecretBox,
    private readonly config: Config,
    private readonly wakeups: Wakeups,
  ) {}

  /**
   * A new entry, pending, to be checked at once. Another account may have the same name; DNS decides between them.
   * @throws Refusal validation_error for a name that cannot be had, conflict when the account has it or has too many.
   */
  async add(
    accountId: string,
    written: string,
    { alongside, ...settings }: DomainSettings & { alongside?: AlongsideDomain } = {},
  ): Promise<DomainView> {
    const name = claimableName(written, this.config.settings.SERVICE_DOMAIN);
    // Before keys are made, which is the costly part; once more inside the transaction.
    await assertRoom(this.database, accountId, name);
    const entry = await newDomain({ accountId, name }, this.keys, this.secretBox);
    const row = await this.database.transaction(async (tx) => {
      // One at a time per account, so that the limit holds.
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('domains ' || $1, 0))`, [accountId]);
      await assertRoom(tx, accountId, name);
      const added = await this.insert(tx, { ...entry, ...settings });
      await alongside?.(tx, added);
      return added;
    });
    this.tell('due-domains', 'outbox');
    return this.present(row);
  }

  /** Null for an unknown id and for another account's. */
  async change(accountId: string, id: string, settings: DomainSettings): Promise<DomainView | null> {
    if (!isId('dom', id)) return null;
    const { openTracking = null, clickTracking = null, tls = null } = settings;
    const changed = await this.database.transaction(async (tx) => {
      const { rows } = await tx.query<ChangedRow>(CHANGE, [accountId, id, openTracking, clickTracking, tls]);
      for (const row of rows) await appendEvents(tx, [this.event(row, 'domain.updated', 'settings')]);
      return rows.at(0);
    });
    if (changed === undefined) return this.sendingDomains.view(accountId, id);
    this.tell('outbox');
    return this.present(changed);
  }

  /**
   * Has DNS looked at right away, and answers what is known now. Null for an unknown id and for another account's.
   * @throws Refusal rate_limit_exceeded when it was asked for less than ten seconds ago.
   */
  async askForCheck(accountId: string, id: string): Promise<DomainView | null> {
    if (!isId('dom', id)) return null;
    const { rowCount } = await this.database.query(ASK, [accountId, id, ASK_AGAIN_AFTER_S]);
    const domain = await this.sendingDomains.find(accountId, id);
    if (domain === null) return null;
    if (rowCount === 0 && !domain.vouched)
      throw new Refusal(
        'rate_limit_exceeded',
        [],
        `A check of this domain can be asked for once in ${ASK_AGAIN_AFTER_S} seconds.`,
        ASK_AGAIN_AFTER_S,
      );
    this.tell('due-domains');
    return this.sendingDomains.view(accountId, id);
  }

  /**
   * Removes an entry and its keys. Mail that waits is failed when its turn comes (`domain_removed`).
   * @param alongside what must be gone in the same transaction, such as keys that are bound to the domain
   * @returns whether it was there
   */
  async remove(accountId: string, id: string, alongside: AlongsideDomain): Promise<boolean> {
    if (!isId('dom', id)) return false;
    const removed = await this.database.transaction(async (tx) => {
      const { rows } = await tx.query<ChangedRow>(
        `DELETE FROM domains WHERE id = $2 AND account_id = $1
         RETURNING ${DOMAIN_COLUMNS}, sequence + 1 AS sequence, now() AS now`,
        [accountId, id],
      );
      for (const row of rows) {
        await appendEvents(tx, [this.event(row, 'domain.deleted', 'deleted')]);
        if (row.status === 'active') await wakeClaimants(tx, row.name);
        await alongside(tx, row);
      }
      return rows.at(0);
    });
    if (removed === undefined) return false;
    this.sendingDomains.forget(accountId, removed.name);
    this.tell('due-domains', 'outbox');
    return true;
  }

  private async insert(tx: Queryable, entry: NewDomain & DomainSettings): Promise<ChangedRow> {
    const { rowCount } = await tx.query(INSERT, [
      entry.id,
      entry.accountId,
      entry.name,
      entry.selector,
      entry.openTracking,
      entry.clickTracking,
      entry.tls,
    ]);
    // Somebody vouched for the name between two statements: that door takes no lock.
    if (rowCount === 0) await assertRoom(tx, entry.accountId, entry.name);
    await insertKeys(tx, { ...entry, place: 1, state: 'active' }, entry.keys);
    const { rows } = await tx.query<ChangedRow>(READ, [entry.id]);
    await appendEvents(tx, [this.event(rows[0], 'domain.created', 'created')]);
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
    return presentDomain(row, this.config.settings.SERVICE_DOMAIN);
  }

  private tell(...topics: ('due-domains' | 'outbox')[]): void {
    for (const topic of topics) this.wakeups.ring(topic);
  }
}

async function assertRoom(db: Queryable, accountId: string, name: string): Promise<void> {
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
