import { isId, LIMITS, Refusal, toPage, type Page, type PageRequest } from '#libs/contracts';
import { Config, SecretBox } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, MoreThan, QueryFailedError, Repository } from 'typeorm';
import { ActiveDomains, type SendingDomain } from './active-domains.js';
import { invalidName } from './claimable-name.js';
import { DomainEntity } from './domain.entity.js';
import { normaliseDomainName } from './domain-name.js';
import { presentDomain, type DomainView } from './domain-view.js';
import { KeySupply } from './key-supply.js';
import { newDomain } from './new-domain.js';

/** PostgreSQL, appendix A. */
const UNIQUE_VIOLATION = '23505';

const FIND = {
  name: 'domains-find',
  text: `SELECT id, account_id AS "accountId", name, status, vouched FROM domains WHERE account_id = $1 AND id = $2`,
};

/** The domains that accounts send from. A domain is active for one account at most. */
@Injectable()
export class SendingDomains {
  private readonly actives: ActiveDomains;
  private readonly keys = new KeySupply();

  constructor(
    @InjectRepository(DomainEntity) private readonly repository: Repository<DomainEntity>,
    private readonly database: Database,
    private readonly secretBox: SecretBox,
    private readonly config: Config,
  ) {
    this.actives = new ActiveDomains(database);
  }

  /**
   * The account's active domain of exactly this name (lower-case A-labels), or null. Changes count within a second.
   */
  active(accountId: string, name: string): Promise<SendingDomain | null> {
    return this.actives.find(accountId, name);
  }

  /** Newest first; as many as an account may have. */
  async list(accountId: string): Promise<DomainView[]> {
    return (await this.page(accountId, { limit: LIMITS.domainsPerAccount })).data;
  }

  /** Newest first. */
  async page(accountId: string, request: PageRequest): Promise<Page<DomainView>> {
    const { limit, after, before } = request;
    const rows = await this.repository.find({
      where: {
        accountId,
        ...(after === undefined ? {} : { id: LessThan(after) }),
        ...(before === undefined ? {} : { id: MoreThan(before) }),
      },
      order: { id: before === undefined ? 'DESC' : 'ASC' },
      take: limit + 1,
    });
    return toPage(request, rows, { id: (row) => row.id, present: (row) => this.present(row) });
  }

  /** Null for an unknown id and for another account's. */
  async view(accountId: string, id: string): Promise<DomainView | null> {
    const domain = isId('dom', id) ? await this.repository.findOneBy({ id, accountId }) : null;
    return domain && this.present(domain);
  }

  /** Null for an unknown id and for another account's. */
  async find(accountId: string, id: string): Promise<SendingDomain | null> {
    if (!isId('dom', id)) return null;
    const { rows } = await this.database.query<SendingDomain>({ ...FIND, values: [accountId, id] });
    return rows.at(0) ?? null;
  }

  /**
   * The operator answers for the account's right to this domain: it is active at once, with keys and records. An entry
   * that is there already keeps its keys, and is checked no more.
   * @throws Refusal validation_error for what is no domain name, conflict when it is active in another account.
   */
  async addVouched(accountId: string, written: string): Promise<SendingDomain> {
    const name = normaliseDomainName(written);
    if (name === null)
      throw invalidName({ code: 'invalid_domain', message: 'must be a domain name such as mail.example.com' });
    const domain = (await this.vouched(accountId, name)) ?? (await this.insertVouched(accountId, name));
    this.forget(accountId, name);
    return domain;
  }

  /** Something changed here and now: the next mail asks anew. */
  forget(accountId: string, name: string): void {
    this.actives.forget(accountId, name);
  }

  private async vouched(accountId: string, name: string): Promise<SendingDomain | null> {
    const domain = await this.repository.findOneBy({ accountId, name, vouched: true, status: 'active' });
    return domain && toSendingDomain(domain);
  }

  private async insertVouched(accountId: string, name: string): Promise<SendingDomain> {
    const row = await newDomain({ accountId, name }, this.keys, this.secretBox);
    try {
      await this.repository
        .createQueryBuilder()
        .insert()
        .values({ ...row, status: 'active', vouched: true, warningSince: null, dueAt: null })
        .orUpdate(['status', 'vouched', 'warning_since', 'due_at'], ['account_id', 'name'])
        .execute();
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
    const domain = await this.vouched(accountId, name);
    if (domain === null) throw takenName(name);
    return domain;
  }

  private present(domain: DomainEntity): DomainView {
    return presentDomain(domain, this.config.settings.SERVICE_DOMAIN);
  }
}

function toSendingDomain({ id, accountId, name, status, vouched }: DomainEntity): SendingDomain {
  return { id, accountId, name, status, vouched };
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof QueryFailedError && (error.driverError as { code?: string }).code === UNIQUE_VIOLATION;
}

function takenName(name: string): Refusal {
  const message = `${name} is active in another account`;
  return new Refusal('conflict', [{ field: 'name', code: 'already_exists', message }], `${message}.`);
}
