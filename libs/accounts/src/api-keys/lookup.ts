import { AddressRanges, type Log } from '#libs/kernel';
import { GroupCommit, type Database } from '#libs/persistence';
import type { Standing } from '../account.resource.js';
import type { ApiKeyRow } from '../api-key.resource.js';
import { scopesOf, type Principal } from './principal.js';

const COLUMNS = [
  'fingerprint',
  'id',
  'account_id',
  'mode',
  'permission',
  'scopes',
  'domain_ids',
  'allowed_ips',
  'expires_at',
] as const satisfies (keyof ApiKeyRow)[];

type KeyRow = Pick<ApiKeyRow, (typeof COLUMNS)[number]> & { standing: Standing; is_use_due: boolean };

const BY_FINGERPRINT = `
  SELECT ${COLUMNS.map((column) => `k.${column}`).join(', ')}, a.standing,
         (k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute') AS is_use_due
    FROM api_keys k JOIN accounts a ON a.id = k.account_id
   WHERE k.fingerprint = ANY($1::bytea[]) AND k.revoked_at IS NULL AND k.enabled
     AND (k.expires_at IS NULL OR k.expires_at > now())`;

const SET_LAST_USED = `
  UPDATE api_keys SET last_used_at = now()
   WHERE id = ANY($1::text[]) AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`;

const RENEW = `
  UPDATE api_keys SET fingerprint = $2, master_key = $3
   WHERE fingerprint = ANY($1::bytea[]) AND NOT EXISTS (SELECT FROM api_keys present WHERE present.fingerprint = $2)`;

/**
 * Reads keys by fingerprint from the database. Concurrent lookups share one query, so that a flood of unknown keys occupies
 * one connection and not the whole pool.
 */
export class ApiKeyLookup {
  private readonly lookups = new GroupCommit<Buffer, Principal | null>({
    commit: (fingerprints) => this.query(fingerprints),
    maxItems: 500,
  });

  constructor(
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  /** Null for a key that is unknown, revoked, disabled or expired. */
  find(fingerprint: Buffer): Promise<Principal | null> {
    return this.lookups.add(fingerprint);
  }

  /** Gives a key that has one of the `earlier` fingerprints, revoked or not, the present one. */
  async renew(earlier: readonly Buffer[], present: { fingerprint: Buffer; masterKey: Buffer }): Promise<void> {
    await this.database.query(RENEW, [earlier, present.fingerprint, present.masterKey]);
  }

  /** Fingerprints of imported keys in our format without a valid checksum; there are hardly ever any. */
  async checksumExempt(): Promise<ReadonlySet<string>> {
    const { rows } = await this.database.query<{ fingerprint: Buffer }>(
      'SELECT fingerprint FROM api_keys WHERE checksum_exempt',
    );
    return new Set(rows.map((row) => row.fingerprint.toString('base64')));
  }

  private async query(fingerprints: Buffer[]): Promise<(Principal | null)[]> {
    const { rows } = await this.database.query<KeyRow>({
      name: 'api-keys-by-fingerprint',
      text: BY_FINGERPRINT,
      values: [fingerprints],
    });
    this.recordUse(rows.filter((row) => row.is_use_due).map((row) => row.id));
    const principals = new Map(rows.map((row) => [row.fingerprint.toString('base64'), toPrincipal(row)]));
    return fingerprints.map((fingerprint) => principals.get(fingerprint.toString('base64')) ?? null);
  }

  /** At most once a minute per key, and not awaited, so that it does not delay the request. */
  private recordUse(ids: string[]): void {
    if (ids.length === 0) return;
    this.database
      .query(SET_LAST_USED, [ids])
      .catch((error: Error) => this.log.warn('the last use of API keys cannot be stored', { reason: error.message }));
  }
}

function toPrincipal(row: KeyRow): Principal {
  return {
    accountId: row.account_id,
    keyId: row.id,
    mode: row.mode,
    permission: row.permission,
    scopes: scopesOf(row),
    domainIds: row.domain_ids && new Set(row.domain_ids),
    allowedIps: row.allowed_ips && new AddressRanges(row.allowed_ips),
    expiresAt: row.expires_at,
    standing: row.standing,
  };
}
