import {
  isId,
  LIMITS,
  Refusal,
  seesDomain,
  toPage,
  visibleDomains,
  type Page,
  type PageRequest,
  type Visibility,
} from '#libs/contracts';
import { Config, SecretBox } from '#libs/kernel';
import { Database, databaseErrors } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { ActiveDomains, type ActiveDomain, type SendingDomain } from './active-domains.js';
import { KeyPool } from './dkim/key-pool.js';
import { insertKeys } from './dkim/key-rows.js';
import { DOMAIN_COLUMNS, newDomain, type DomainRow, type DomainTransactionHook } from './model/domain-row.js';
import { invalidName, normaliseDomainName } from './model/domain-rules.js';
import { toDomainView } from './model/domain-view.js';
import type { DomainView, StoredDomain } from './domain.resource.js';
import { DomainEntity } from './model/domain.entity.js';

const FIND = {
  name: 'domains-find',
  text: `SELECT id, account_id AS "accountId", name, status, vouched, envelope FROM domains WHERE account_id = $1 AND id = $2`,
};

const OWNER = 'SELECT account_id AS "accountId" FROM domains WHERE id = $1';

const VIEW = { name: 'domains-view', text: `SELECT ${DOMAIN_COLUMNS} FROM domains WHERE account_id = $1 AND id = $2` };

const VIEWS = {
  name: 'domains-views',
  text: `SELECT ${DOMAIN_COLUMNS} FROM domains
          WHERE account_id = $1 AND id = ANY ($2) AND ($3::text[] IS NULL OR id = ANY ($3))`,
};

const page = (order: 'ASC' | 'DESC') => ({
  name: `domains-page-${order}`,
  text: `SELECT ${DOMAIN_COLUMNS} FROM domains
          WHERE account_id = $1 AND NOT is_of_service AND ($2::text IS NULL OR id < $2) AND ($3::text IS NULL OR id > $3)
            AND ($5::text[] IS NULL OR id = ANY ($5))
          ORDER BY id ${order} LIMIT $4`,
});
const NEWEST_FIRST = page('DESC');
const OLDEST_FIRST = page('ASC');

/** Of a vouched domain only its keys are checked, and only during a rotation. */
const VOUCH = `
  INSERT INTO domains (id, account_id, name, selector, status, vouched, is_of_service)
  VALUES ($1, $2, $3, $4, 'active', true, $5)
  ON CONFLICT (account_id, name) DO UPDATE
     SET status = 'active', vouched = true, warning_since = NULL,
         due_at = (SELECT now() FROM domain_keys k WHERE k.domain_id = domains.id AND k.state <> 'active' LIMIT 1)
  RETURNING id`;

const SHOW = 'UPDATE domains SET is_of_service = false WHERE account_id = $1 AND id = $2 AND is_of_service';

interface VouchedEntry {
  accountId: string;
  written: string;
  isOfService: boolean;
}

/** The domains of accounts. A name is active in one account at most. */
@Injectable()
export class SendingDomains {
  private readonly actives: ActiveDomains;
  private readonly keys = new KeyPool();

  constructor(
    @InjectRepository(DomainEntity) private readonly repository: Repository<StoredDomain>,
    private readonly database: Database,
    private readonly secretBox: SecretBox,
    private readonly config: Config,
  ) {
    this.actives = new ActiveDomains(database);
  }

  /** The account's active domain of exactly this name (lower-case A-labels), or null. Cached for less than a second. */
  active(accountId: string, name: string): Promise<ActiveDomain | null> {
    return this.actives.find(accountId, name);
  }

  /** All domains that the key sees, newest first, without that of the mail of the service. */
  async list(visibility: Visibility): Promise<DomainView[]> {
    return (await this.page(visibility, { limit: LIMITS.domainsPerAccount })).data;
  }

  /** Newest first. */
  async page(visibility: Visibility, request: PageRequest): Promise<Page<DomainView>> {
    const { limit, after, before } = request;
    const { rows } = await this.database.query<DomainRow>({
      ...(before === undefined ? NEWEST_FIRST : OLDEST_FIRST),
      values: [visibility.accountId, after, before, limit + 1, visibleDomains(visibility)],
    });
    return toPage(request, rows, { id: (row) => row.id, present: (row) => this.present(row) });
  }

  /** Null for an unknown id and for a domain that the key does not see. */
  async view(visibility: Visibility, id: string): Promise<DomainView | null> {
    if (!isId('dom', id) || !seesDomain(visibility, id)) return null;
    const { rows } = await this.database.query<DomainRow>({ ...VIEW, values: [visibility.accountId, id] });
    return rows.length === 0 ? null : this.present(rows[0]);
  }

  /** By id. Unknown ids and domains that the key does not see are missing. */
  async views(visibility: Visibility, ids: readonly string[]): Promise<Map<string, DomainView>> {
    const { rows } = await this.database.query<DomainRow>({
      ...VIEWS,
      values: [visibility.accountId, ids.filter((id) => isId('dom', id)), visibleDomains(visibility)],
    });
    return new Map(rows.map((row) => [row.id, this.present(row)]));
  }

  /** Null for an unknown id and for a domain that the key does not see. */
  async find(visibility: Visibility, id: string): Promise<SendingDomain | null> {
    if (!isId('dom', id) || !seesDomain(visibility, id)) return null;
    const { rows } = await this.database.query<SendingDomain>({ ...FIND, values: [visibility.accountId, id] });
    return rows.at(0) ?? null;
  }

  /** For commands of the operator that name a domain by its id alone. Null for an unknown id. */
  async ownerOf(id: string): Promise<string | null> {
    if (!isId('dom', id)) return null;
    const { rows } = await this.database.query<{ accountId: string }>(OWNER, [id]);
    return rows.at(0)?.accountId ?? null;
  }

  /**
   * The operator vouches for the account's right to this domain: it is active at once, with keys and records. An existing
   * entry keeps its keys and is not checked any more.
   * @param alongside further writes in the transaction of a new entry
   * @throws Refusal validation_error for an invalid name, conflict when it is active in another account
   */
  async addVouched(accountId: string, written: string, alongside?: DomainTransactionHook): Promise<SendingDomain> {
    const domain = await this.vouch({ accountId, written, isOfService: false }, alongside);
    await this.database.query(SHOW, [accountId, domain.id]);
    return domain;
  }

  /**
   * As `addVouched`, for the mail of the service itself: a new entry is in no list, because nobody asked for it. The records
   * of the domain are shown by the doctor.
   */
  addOfService(accountId: string, written: string): Promise<SendingDomain> {
    return this.vouch({ accountId, written, isOfService: true });
  }

  /** The entry of `addOfService`; null before the first message of the service. */
  findOfService(accountId: string, name: string): Promise<SendingDomain | null> {
    return this.vouched(accountId, name.toLowerCase());
  }

  /** Drops the cached result after a change. */
  forget(accountId: string, name: string): void {
    this.actives.forget(accountId, name);
  }

  private async vouch(entry: VouchedEntry, alongside?: DomainTransactionHook): Promise<SendingDomain> {
    const name = normaliseDomainName(entry.written);
    if (name === null)
      throw invalidName({ code: 'invalid_domain', message: 'must be a domain name such as mail.example.com' });
    const found = await this.vouched(entry.accountId, name);
    const domain = found ?? (await this.insertVouched({ ...entry, written: name }, alongside));
    this.forget(entry.accountId, name);
    return domain;
  }

  private async vouched(accountId: string, name: string): Promise<SendingDomain | null> {
    const domain = await this.repository.findOneBy({ account_id: accountId, name, vouched: true, status: 'active' });
    return domain && toSendingDomain(domain);
  }

  private async insertVouched(
    { accountId, written: name, isOfService }: VouchedEntry,
    alongside?: DomainTransactionHook,
  ): Promise<SendingDomain> {
    const entry = await newDomain({ account_id: accountId, name }, this.keys, this.secretBox);
    try {
      await this.database.transaction(async (tx) => {
        const { rows } = await tx.query<{ id: string }>(VOUCH, [
          entry.id,
          accountId,
          name,
          entry.selector,
          isOfService,
        ]);
        if (rows[0].id !== entry.id) return;
        await insertKeys(tx, { ...entry, variant: 1, state: 'active' }, entry.keys);
        await alongside?.(tx, { id: entry.id, accountId, name });
      });
    } catch (error) {
      if (!databaseErrors.isDuplicate(error)) throw error;
    }
    const domain = await this.vouched(accountId, name);
    if (domain === null) throw takenName(name);
    return domain;
  }

  private present(domain: DomainRow): DomainView {
    return toDomainView(domain, this.config.settings);
  }
}

function toSendingDomain({ id, account_id, name, status, vouched, envelope }: StoredDomain): SendingDomain {
  return { id, accountId: account_id, name, status, vouched, envelope };
}

function takenName(name: string): Refusal {
  const message = `${name} is active in another account`;
  return new Refusal('conflict', [{ field: 'name', code: 'already_exists', message }], `${message}.`);
}
