import { Injectable } from '@nestjs/common';
import type { StoredStsPolicy, StsStore } from '#libs/mta';
import { Database } from '#libs/persistence';

/** MTA-STS policies of recipients' domains, for all processes and across restarts. */
@Injectable()
export class StoredStsPolicies implements StsStore {
  constructor(private readonly database: Database) {}

  async find(domain: string): Promise<StoredStsPolicy | null> {
    const { rows } = await this.database.query<StoredStsPolicy>({
      name: 'sts-policies-find',
      text: `SELECT policy_id AS id, policy, fetched_at AS "fetchedAt" FROM sts_policies
             WHERE domain = $1 AND expires_at > now()`,
      values: [domain],
    });
    return rows.at(0) ?? null;
  }

  /** The youngest one stays, whichever process is the last to write. */
  async keep(domain: string, { id, policy, fetchedAt }: StoredStsPolicy): Promise<void> {
    const expiresAt = new Date(fetchedAt.getTime() + policy.maxAgeSeconds * 1000);
    await this.database.query(
      `INSERT INTO sts_policies (domain, policy_id, policy, fetched_at, expires_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (domain) DO UPDATE SET policy_id = excluded.policy_id, policy = excluded.policy,
         fetched_at = excluded.fetched_at, expires_at = excluded.expires_at
       WHERE sts_policies.fetched_at <= excluded.fetched_at`,
      [domain, id, JSON.stringify(policy), fetchedAt, expiresAt],
    );
  }

  /** Removes what has run out; returns how many. */
  async prune(): Promise<number> {
    const { rowCount } = await this.database.query('DELETE FROM sts_policies WHERE expires_at < now()');
    return rowCount ?? 0;
  }
}
