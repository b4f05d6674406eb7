import { newId, Refusal, toPage, type Page, type PageRequest } from '#libs/contracts';
import { Log, SecretBox } from '#libs/kernel';
import { Database, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, LessThan, MoreThan, QueryFailedError, Repository } from 'typeorm';
import { ApiKeyAuthentication, type TokenMark } from './api-key-authentication.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeyLookup } from './api-key-lookup.js';
import { columnsOf, type ApiKeyChange, type ApiKeyOptions } from './api-key-options.js';
import { examineToken, newApiKeyToken } from './api-key-token.js';
import { presentApiKey, type ApiKeyView } from './api-key-view.js';
import { assertNoMorePower } from './assert-no-more-power.js';
import type { Principal } from './principal.js';

const HINT_LENGTH = 12;
/** PostgreSQL, appendix A. */
const FOREIGN_KEY_VIOLATION = '23503';

/** Keys that were restricted to this domain alone are left with none, and disabled (D-47). */
const DOMAIN_REMOVED = `
  UPDATE api_keys
     SET domain_ids = array_remove(domain_ids, $2), enabled = enabled AND domain_ids <> ARRAY[$2]
   WHERE account_id = $1 AND $2 = ANY(domain_ids)`;

/** API keys: shown once, stored as a fingerprint. Every change counts within a second in every program. */
@Injectable()
export class ApiKeys {
  private readonly authentication: ApiKeyAuthentication;

  constructor(
    @InjectRepository(ApiKeyEntity) private readonly repository: Repository<ApiKeyEntity>,
    database: Database,
    private readonly secretBox: SecretBox,
    log: Log,
  ) {
    this.authentication = new ApiKeyAuthentication(new ApiKeyLookup(database, log), secretBox);
  }

  /**
   * Who holds this token. Keys of blocked and overdue accounts are known too; `standing` tells (see `assertStanding`).
   * @throws Refusal invalid_api_key when it is unknown, revoked, disabled or expired; a database error as it comes.
   */
  async authenticate(token: string): Promise<Principal> {
    return this.authentication.holderOf(this.authentication.markOf(token));
  }

  /** What a session keeps of its token to ask again, as `authenticate` does. @throws Refusal invalid_api_key. */
  markOf(token: string): TokenMark {
    return this.authentication.markOf(token);
  }

  /** Who holds the token of this mark now. @throws as `authenticate`. */
  holderOf(mark: TokenMark): Promise<Principal> {
    return this.authentication.holderOf(mark);
  }

  /**
   * `token` is shown here and never again. `by` is the key that asks for it; nobody for the operator.
   * @throws Refusal not_found when there is no such account, restricted_api_key when `by` has less than the new key.
   */
  async create(accountId: string, options: ApiKeyOptions, by?: Principal): Promise<ApiKeyView & { token: string }> {
    const { name, mode = 'live' } = options;
    const token = newApiKeyToken(mode);
    const key = this.repository.create({
      ...this.newRow(accountId, token, name),
      mode,
      permission: 'full_access',
      scopes: null,
      domainIds: null,
      allowedIps: null,
      expiresAt: null,
      enabled: true,
      lastUsedAt: null,
      ...columnsOf(options),
    });
    if (by) assertNoMorePower(by, key);
    await this.repository.insert(key).catch((error: unknown) => {
      throw asMissingAccount(error, accountId);
    });
    return { ...presentApiKey(key), token };
  }

  /** One key of the account, or null; a revoked one is gone. */
  async find(accountId: string, id: string): Promise<ApiKeyView | null> {
    const key = await this.repository.findOneBy({ id, accountId, revokedAt: IsNull() });
    return key && presentApiKey(key);
  }

  /** Newest first, revoked ones left out. */
  async list(accountId: string, page: PageRequest): Promise<Page<ApiKeyView>> {
    const { limit, after, before } = page;
    const keys = await this.repository.find({
      where: {
        accountId,
        revokedAt: IsNull(),
        ...(after === undefined ? {} : { id: LessThan(after) }),
        ...(before === undefined ? {} : { id: MoreThan(before) }),
      },
      order: { id: before === undefined ? 'DESC' : 'ASC' },
      take: limit + 1,
    });
    return toPage(page, keys, { id: (key) => key.id, present: presentApiKey });
  }

  /**
   * @throws Refusal not_found; restricted_api_key when the changed key would have more than `by`; conflict when a key
   * whose domains are all gone is to be enabled.
   */
  async change(by: Principal, id: string, change: ApiKeyChange): Promise<ApiKeyView> {
    const columns = columnsOf(change);
    const key = await this.repository.manager.transaction(async (tx) => {
      const found = await tx.findOne(ApiKeyEntity, {
        where: { id, accountId: by.accountId, revokedAt: IsNull() },
        lock: { mode: 'pessimistic_write' },
      });
      if (!found) throw new Refusal('not_found');
      const changed = Object.assign(found, columns);
      assertNoMorePower(by, changed);
      assertUsable(changed);
      if (Object.keys(columns).length > 0) await tx.update(ApiKeyEntity, { id }, columns);
      return changed;
    });
    this.authentication.forget(key.fingerprint);
    return presentApiKey(key);
  }

  /** Ends a key of the account that `by` belongs to. A test key ends no live key. @throws Refusal not_found */
  async remove(by: Principal, id: string): Promise<void> {
    const key = await this.repository.findOneBy({ id, accountId: by.accountId, revokedAt: IsNull() });
    if (!key) throw new Refusal('not_found');
    if (by.mode === 'test' && key.mode === 'live')
      throw new Refusal('restricted_api_key', [], 'A test key may not delete a live key.');
    const { affected } = await this.repository.update({ id, revokedAt: IsNull() }, { revokedAt: () => 'now()' });
    if (!affected) throw new Refusal('not_found');
    this.authentication.forget(key.fingerprint);
  }

  /** In the transaction that deletes the domain. */
  async domainRemoved(tx: Queryable, accountId: string, domainId: string): Promise<void> {
    await tx.query(DOMAIN_REMOVED, [accountId, domainId]);
  }

  /**
   * Takes a token that the operator chose, live and with full access; nothing happens when the account has it already.
   * @throws Refusal conflict when another account has it, not_found when there is no such account.
   */
  async import(accountId: string, token: string, name: string): Promise<void> {
    const row = this.newRow(accountId, token, name);
    await this.repository
      .createQueryBuilder()
      .insert()
      .values({ ...row, mode: 'live', permission: 'full_access', checksumExempt: examineToken(token) === 'broken' })
      .orIgnore()
      .execute()
      .catch((error: unknown) => {
        throw asMissingAccount(error, accountId);
      });
    const { fingerprint } = row;
    if (!(await this.repository.existsBy({ fingerprint, accountId })))
      throw new Refusal('conflict', [], 'This API key belongs to another account.');
    this.authentication.forget(fingerprint);
  }

  /** True once any key was ever made in this database. */
  exist(): Promise<boolean> {
    return this.repository.exists();
  }

  /** For the operator: of whatever account. Revoking twice keeps the first time. @throws Refusal not_found */
  async revoke(id: string): Promise<void> {
    await this.repository.update({ id, revokedAt: IsNull() }, { revokedAt: () => 'now()' });
    const key = await this.repository.findOneBy({ id });
    if (!key) throw new Refusal('not_found', [], `There is no API key ${id}.`);
    this.authentication.forget(key.fingerprint);
  }

  private newRow(
    accountId: string,
    token: string,
    name: string,
  ): Pick<ApiKeyEntity, 'id' | 'accountId' | 'name' | 'fingerprint' | 'hint'> {
    return {
      id: newId('key'),
      accountId,
      name,
      fingerprint: this.secretBox.fingerprint(token),
      hint: token.slice(0, HINT_LENGTH),
    };
  }
}

/** Whoever enables it, or leaves it enabled, must say what it may still send from. */
function assertUsable({ enabled, domainIds }: ApiKeyEntity): void {
  if (!enabled || domainIds?.length !== 0) return;
  throw new Refusal(
    'conflict',
    [{ field: 'domain_ids', code: 'no_domain_left', message: 'must name a domain: those of this key are deleted' }],
    'The domains of this API key are deleted. Name others, or take the restriction away.',
  );
}

function asMissingAccount(error: unknown, accountId: string): unknown {
  if (!(error instanceof QueryFailedError)) return error;
  const { code } = error.driverError as { code?: string };
  return code === FOREIGN_KEY_VIOLATION ? new Refusal('not_found', [], `There is no account ${accountId}.`) : error;
}
