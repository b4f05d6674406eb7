import { newId, OPERATOR_SCOPES, Refusal, toPage, type Page, type PageRequest, type Scope } from '#libs/contracts';
import { Log, SecretBox } from '#libs/kernel';
import { Database, transactionOf, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, IsNull, LessThan, MoreThan, QueryFailedError, Repository, type EntityManager } from 'typeorm';
import { AuditLog } from '../audit-log.js';
import { ApiKeyAuthentication, type TokenFingerprint } from './authentication.js';
import { ApiKeyLookup } from './lookup.js';
import { columnsOf } from './options.js';
import { tokenFormat, newApiKeyToken } from './token.js';
import {
  ApiKeyEntity,
  toApiKeyView,
  type ApiKeyChange,
  type ApiKeyOptions,
  type ApiKeyRow,
  type ApiKeyView,
} from '../api-key.resource.js';
import { assertManageable, assertNoEscalation } from './assert-no-escalation.js';
import type { Principal } from './principal.js';

const HINT_LENGTH = 12;
/** PostgreSQL, appendix A. */
const FOREIGN_KEY_VIOLATION = '23503';

/** A key that was restricted to this domain alone keeps an empty list and is disabled. */
const DOMAIN_REMOVED = `
  UPDATE api_keys
     SET domain_ids = array_remove(domain_ids, $2), enabled = enabled AND domain_ids <> ARRAY[$2]
   WHERE account_id = $1 AND $2 = ANY(domain_ids)`;

const CREATED_BY = `
  WITH RECURSIVE made AS (
    SELECT id FROM api_keys WHERE account_id = $1 AND created_by = $2
     UNION SELECT k.id FROM api_keys k JOIN made ON k.created_by = made.id WHERE k.account_id = $1)
  SELECT id FROM made`;

/** API keys: shown once, stored as a fingerprint. Every program applies changes within a second. */
@Injectable()
export class ApiKeys {
  private readonly authentication: ApiKeyAuthentication;

  constructor(
    @InjectRepository(ApiKeyEntity) private readonly repository: Repository<ApiKeyRow>,
    database: Database,
    private readonly secretBox: SecretBox,
    log: Log,
    private readonly audit: AuditLog = new AuditLog(),
  ) {
    this.authentication = new ApiKeyAuthentication(new ApiKeyLookup(database, log), secretBox);
  }

  /**
   * The holder of a token, also for blocked and overdue accounts (see `assertStanding`).
   * @throws Refusal invalid_api_key if it is unknown, revoked, disabled or expired; errors of the database unchanged
   */
  async authenticate(token: string): Promise<Principal> {
    return this.authentication.principalOf(this.authentication.fingerprintOf(token));
  }

  /** The part of a token that a session keeps to authenticate again. @throws Refusal invalid_api_key */
  fingerprintOf(token: string): TokenFingerprint {
    return this.authentication.fingerprintOf(token);
  }

  /** The current holder of the token with this fingerprint. @throws as `authenticate` */
  principalOf(fingerprint: TokenFingerprint): Promise<Principal> {
    return this.authentication.principalOf(fingerprint);
  }

  /**
   * `token` is available only here. `by` is the key that creates it; undefined for the operator.
   * @throws Refusal not_found without such an account, restricted_api_key if the new key would exceed `by`
   */
  async create(accountId: string, options: ApiKeyOptions, by?: Principal): Promise<ApiKeyView & { token: string }> {
    const { name, mode = 'live' } = options;
    const token = newApiKeyToken(mode);
    const key = this.repository.create({
      ...this.newRow(accountId, token, name),
      mode,
      permission: 'full_access',
      scopes: null,
      domain_ids: null,
      allowed_ips: null,
      expires_at: null,
      enabled: true,
      last_used_at: null,
      created_by: by?.keyId ?? null,
      ...columnsOf(options),
    });
    if (by) assertNoEscalation(by, key);
    await this.repository.manager.transaction(async (tx) => {
      await requireOperatorScopes(tx, accountId, key.scopes);
      await tx.insert(ApiKeyEntity, key).catch((error: unknown) => {
        throw asMissingAccount(error, accountId);
      });
      if (by) await this.record(tx, by, { action: 'api_key.created', key });
    });
    return { ...toApiKeyView(key), token };
  }

  /** Null if the account has no such key, or if it is revoked. */
  async find(accountId: string, id: string): Promise<ApiKeyView | null> {
    const key = await this.repository.findOneBy({ id, account_id: accountId, revoked_at: IsNull() });
    return key && toApiKeyView(key);
  }

  /** Newest first, without revoked keys. */
  async list(accountId: string, page: PageRequest): Promise<Page<ApiKeyView>> {
    const { limit, after, before } = page;
    const keys = await this.repository.find({
      where: {
        account_id: accountId,
        revoked_at: IsNull(),
        ...(after === undefined ? {} : { id: LessThan(after) }),
        ...(before === undefined ? {} : { id: MoreThan(before) }),
      },
      order: { id: before === undefined ? 'DESC' : 'ASC' },
      take: limit + 1,
    });
    return toPage(page, keys, { id: (key) => key.id, present: toApiKeyView });
  }

  /** Keys of the account that this person created, or that were created with such a key; newest first, without revoked keys. */
  async createdBy(accountId: string, userId: string): Promise<ApiKeyView[]> {
    const made: { id: string }[] = await this.repository.query(CREATED_BY, [accountId, userId]);
    const keys = await this.repository.find({
      where: { id: In(made.map(({ id }) => id)), revoked_at: IsNull() },
      order: { id: 'DESC' },
    });
    return keys.map(toApiKeyView);
  }

  /**
   * @throws Refusal not_found; restricted_api_key if the key exceeds `by`, before or after the change; conflict if a key
   * whose domains are all deleted would be enabled
   */
  async change(by: Principal, id: string, change: ApiKeyChange): Promise<ApiKeyView> {
    const columns = columnsOf(change);
    const key = await this.repository.manager.transaction(async (tx) => {
      const found = await lockKey(tx, by.accountId, id);
      assertManageable(by, found);
      const changed = Object.assign(found, columns);
      assertNoEscalation(by, changed);
      assertUsable(changed);
      const fields = Object.keys(columns);
      if (fields.length > 0) {
        await tx.update(ApiKeyEntity, { id }, columns);
        await this.record(tx, by, { action: 'api_key.updated', key: changed, fields });
      }
      return changed;
    });
    this.authentication.invalidate(key.fingerprint);
    return toApiKeyView(key);
  }

  /**
   * Revokes a key of the account of `by`. A key may always revoke itself.
   * @throws Refusal not_found; restricted_api_key if the key exceeds `by`
   */
  async remove(by: Principal, id: string): Promise<void> {
    const key = await this.repository.manager.transaction(async (tx) => {
      const found = await lockKey(tx, by.accountId, id);
      if (id !== by.keyId) assertManageable(by, found);
      await tx.update(ApiKeyEntity, { id }, { revoked_at: () => 'now()' });
      await this.record(tx, by, { action: 'api_key.deleted', key: found });
      return found;
    });
    this.authentication.invalidate(key.fingerprint);
  }

  /** Call it in the transaction that deletes the domain. */
  async domainRemoved(tx: Queryable, accountId: string, domainId: string): Promise<void> {
    await tx.query(DOMAIN_REMOVED, [accountId, domainId]);
  }

  /**
   * Stores a token chosen by the operator, live and with full access; no effect if the account has it already.
   * @throws Refusal conflict if another account has it, not_found without such an account
   */
  async import(accountId: string, token: string, name: string): Promise<void> {
    await this.authentication.renew(this.authentication.fingerprintOf(token));
    const row = this.newRow(accountId, token, name);
    await this.repository
      .createQueryBuilder()
      .insert()
      .values({
        ...row,
        mode: 'live',
        permission: 'full_access',
        checksum_exempt: tokenFormat(token) === 'bad_checksum',
      })
      .orIgnore()
      .execute()
      .catch((error: unknown) => {
        throw asMissingAccount(error, accountId);
      });
    const { fingerprint } = row;
    if (!(await this.repository.existsBy({ fingerprint, account_id: accountId })))
      throw new Refusal('conflict', [], 'This API key belongs to another account.');
    this.authentication.invalidate(fingerprint);
  }

  /** True if the database has any key, revoked or not. */
  anyExists(): Promise<boolean> {
    return this.repository.exists();
  }

  /** For the operator, without regard to the account. A second call keeps the first time. @throws Refusal not_found */
  async revoke(id: string): Promise<void> {
    await this.repository.update({ id, revoked_at: IsNull() }, { revoked_at: () => 'now()' });
    const key = await this.repository.findOneBy({ id });
    if (!key) throw new Refusal('not_found', [], `There is no API key ${id}.`);
    this.authentication.invalidate(key.fingerprint);
  }

  private async record(
    tx: EntityManager,
    { accountId, keyId: actor, ip }: Principal,
    of: { action: string; key: ApiKeyRow; fields?: string[] },
  ): Promise<void> {
    const { action, key, fields } = of;
    const details = { name: key.name, ...(fields === undefined ? {} : { fields }) };
    await this.audit.record(await transactionOf(tx), { accountId, actor, ip, action, target: key.id, details });
  }

  private newRow(
    accountId: string,
    token: string,
    name: string,
  ): Pick<ApiKeyRow, 'id' | 'account_id' | 'name' | 'fingerprint' | 'master_key' | 'hint'> {
    return {
      id: newId('key'),
      account_id: accountId,
      name,
      fingerprint: this.secretBox.fingerprint(token),
      master_key: this.secretBox.keyCheck,
      hint: token.slice(0, HINT_LENGTH),
    };
  }
}

/** Locks the key until the end of the transaction, so that the judged permissions are those that are changed. @throws Refusal not_found */
async function lockKey(tx: EntityManager, accountId: string, id: string): Promise<ApiKeyRow> {
  const key = await tx.findOne(ApiKeyEntity, {
    where: { id, account_id: accountId, revoked_at: IsNull() },
    lock: { mode: 'pessimistic_write' },
  });
  if (!key) throw new Refusal('not_found');
  return key;
}

/** An enabled key must not be restricted to deleted domains only. */
function assertUsable({ enabled, domain_ids }: ApiKeyRow): void {
  if (!enabled || domain_ids?.length !== 0) return;
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

/** @throws Refusal validation_error for a scope of the operator in another account than the first */
async function requireOperatorScopes(
  tx: EntityManager,
  accountId: string,
  scopes: readonly Scope[] | null,
): Promise<void> {
  const i = scopes?.findIndex((scope) => OPERATOR_SCOPES.has(scope)) ?? -1;
  if (i < 0) return;
  const found: unknown[] = await tx.query('SELECT 1 FROM installation WHERE first_account_id = $1', [accountId]);
  if (found.length > 0) return;
  const message = `must not be ${scopes?.[i]}: only keys of the first account, which belongs to the operator, may have it`;
  throw Refusal.ofFields([{ field: `scopes[${i}]`, code: 'operator_scope', message }]);
}
