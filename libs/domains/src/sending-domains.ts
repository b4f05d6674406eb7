import { newId, Refusal } from '#libs/contracts';
import { Config, SecretBox } from '#libs/kernel';
import { generateDkimKeys } from '#libs/mime';
import { Database } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { QueryFailedError, Repository } from 'typeorm';
import { ActiveDomains, type SendingDomain } from './active-domains.js';
import { DomainEntity, type DomainStatus } from './domain.entity.js';
import { normaliseDomainName } from './domain-name.js';
import { domainRecords, type DomainRecord } from './domain-records.js';
import { sealedUnder } from './sealed-under.js';
import { newSelector } from './selector.js';

/** A domain as the API shows it, ready to be sent. */
export interface DomainView {
  id: string;
  object: 'domain';
  name: string;
  status: DomainStatus;
  /** ISO 8601 UTC. */
  created_at: string;
  region: 'eu';
  records: DomainRecord[];
}

/** PostgreSQL, appendix A. */
const UNIQUE_VIOLATION = '23505';

/** The domains that accounts send from. A domain is active for one account at most. */
@Injectable()
export class SendingDomains {
  private readonly actives: ActiveDomains;

  constructor(
    @InjectRepository(DomainEntity) private readonly repository: Repository<DomainEntity>,
    database: Database,
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

  /** Newest first. */
  async list(accountId: string): Promise<DomainView[]> {
    const domains = await this.repository.find({ where: { accountId }, order: { id: 'DESC' } });
    return domains.map((domain) => ({
      id: domain.id,
      object: 'domain',
      name: domain.name,
      status: domain.status,
      created_at: domain.createdAt.toISOString(),
      region: 'eu',
      records: domainRecords(domain, this.config.settings.SERVICE_DOMAIN),
    }));
  }

  /** Null for an unknown id and for another account's. */
  async find(accountId: string, id: string): Promise<SendingDomain | null> {
    const domain = await this.repository.findOneBy({ id, accountId });
    return domain && toSendingDomain(domain);
  }

  /**
   * The operator answers for the account's right to this domain: it is active at once, with keys and records. An entry
   * that is there already keeps its keys.
   * @throws Refusal validation_error for what is no domain name, conflict when it is active in another account.
   */
  async addVouched(accountId: string, written: string): Promise<SendingDomain> {
    const name = normaliseDomainName(written);
    if (name === null) throw invalidName(written);
    const domain = (await this.vouched(accountId, name)) ?? (await this.insertVouched(accountId, name));
    this.actives.forget(accountId, name);
    return domain;
  }

  private async vouched(accountId: string, name: string): Promise<SendingDomain | null> {
    const domain = await this.repository.findOneBy({ accountId, name, vouched: true, status: 'active' });
    return domain && toSendingDomain(domain);
  }

  private async insertVouched(accountId: string, name: string): Promise<SendingDomain> {
    const row = { ...(await this.newRow(accountId, name)), status: 'active' as const, vouched: true };
    try {
      await this.repository
        .createQueryBuilder()
        .insert()
        .values(row)
        .orUpdate(['status', 'vouched'], ['account_id', 'name'])
        .execute();
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
    const domain = await this.vouched(accountId, name);
    if (domain === null) throw takenName(name);
    return domain;
  }

  private async newRow(accountId: string, name: string) {
    const id = newId('dom');
    const { rsa, ed25519 } = await generateDkimKeys();
    return {
      id,
      accountId,
      name,
      selector: newSelector(),
      rsaPrivateSealed: this.secretBox.seal(rsa.privateKeyPem, sealedUnder(id, 'rsa')),
      rsaPublic: rsa.publicKeyBase64,
      ed25519PrivateSealed: this.secretBox.seal(ed25519.privateKeyPem, sealedUnder(id, 'ed25519')),
      ed25519Public: ed25519.publicKeyBase64,
    };
  }
}

function toSendingDomain({ id, accountId, name, status, vouched }: DomainEntity): SendingDomain {
  return { id, accountId, name, status, vouched };
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof QueryFailedError && (error.driverError as { code?: string }).code === UNIQUE_VIOLATION;
}

function invalidName(written: string): Refusal {
  const message = 'must be a domain name such as mail.example.com';
  return new Refusal(
    'validation_error',
    [{ field: 'name', code: 'invalid_domain', message }],
    `"${written}" ${message}.`,
  );
}

function takenName(name: string): Refusal {
  const message = `${name} is active in another account`;
  return new Refusal('conflict', [{ field: 'name', code: 'already_exists', message }], `${message}.`);
}
