import { newId, Refusal, type Mode, type Permission } from '#libs/contracts';
import { Log, SecretBox, RecentAnswers } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, QueryFailedError, Repository } from 'typeorm';
import { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeyLookup } from './api-key-lookup.js';
import { examineToken, MAX_TOKEN_LENGTH, newApiKeyToken } from './api-key-token.js';
import type { Principal } from './principal.js';

/** Revocation and standing must count within one second (promise S-5); the other half is for a machine under load. */
const CACHE_MS = 500;
const CACHED_KEYS = 20_000;
const HINT_LENGTH = 12;
/** PostgreSQL, appendix A. */
const FOREIGN_KEY_VIOLATION = '23503';

/** API keys: shown once, stored as a fingerprint, looked up by it, so that no code ever compares secrets. */
@Injectable()
export class ApiKeys {
  private readonly lookup: ApiKeyLookup;
  private readonly recent: RecentAnswers<Principal>;
  private readonly exempt: RecentAnswers<ReadonlySet<string>>;

  constructor(
    @InjectRepository(ApiKeyEntity) private readonly repository: Repository<ApiKeyEntity>,
    database: Database,
    private readonly secretBox: SecretBox,
    log: Log,
  ) {
    const lookup = new ApiKeyLookup(database, log);
    this.lookup = lookup;
    this.recent = new RecentAnswers({
      ask: (fingerprint) => lookup.find(Buffer.from(fingerprint, 'base64')),
      ttlMs: CACHE_MS,
      limit: CACHED_KEYS,
    });
    this.exempt = new RecentAnswers({ ask: () => lookup.checksumExempt(), ttlMs: CACHE_MS, limit: 1 });
  }

  /**
   * Who holds this token. Keys of blocked and overdue accounts are known too; `standing` tells (see `assertStanding`).
   * @throws Refusal invalid_api_key when it is unknown, revoked or expired; a database error as it comes.
   */
  async authenticate(token: string): Promise<Principal> {
    if (token === '' || token.length > MAX_TOKEN_LENGTH) throw new Refusal('invalid_api_key');
    const fingerprint = this.secretBox.fingerprint(token).toString('base64');
    if (examineToken(token) === 'broken' && !(await this.exempt.get('all'))?.has(fingerprint))
      throw new Refusal('invalid_api_key');
    const principal = await this.recent.get(fingerprint);
    if (principal === null) throw new Refusal('invalid_api_key');
    return principal;
  }

  /** `token` is shown here and never again. @throws Refusal not_found when there is no such account. */
  async create(
    accountId: string,
    options: { name: string; mode?: Mode; permission?: Permission },
  ): Promise<{ id: string; token: string }> {
    const { name, mode = 'live', permission = 'full_access' } = options;
    const token = newApiKeyToken(mode);
    const row = { ...this.newRow(accountId, token, name), mode, permission };
    await this.repository.insert(row).catch((error: unknown) => {
      throw asMissingAccount(error, accountId);
    });
    return { id: row.id, token };
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
    this.recent.forget(fingerprint.toString('base64'));
    this.exempt.forget('all');
  }

  /** True once any key was ever made in this database. */
  exist(): Promise<boolean> {
    return this.repository.exists();
  }

  /** Counts within a second, in every program. Revoking twice keeps the first time. @throws Refusal not_found */
  async revoke(id: string): Promise<void> {
    await this.repository.update({ id, revokedAt: IsNull() }, { revokedAt: () => 'now()' });
    if (!(await this.repository.existsBy({ id }))) throw new Refusal('not_found', [], `There is no API key ${id}.`);
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

function asMissingAccount(error: unknown, accountId: string): unknown {
  if (!(error instanceof QueryFailedError)) return error;
  const { code } = error.driverError as { code?: string };
  return code === FOREIGN_KEY_VIOLATION ? new Refusal('not_found', [], `There is no account ${accountId}.`) : error;
}
