import { X509Certificate } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretBox, type TlsFiles } from '#libs/kernel';
import { Database, type Queryable } from '#libs/persistence';
import { renewalTime } from './renewal-schedule.js';

/** The state of the certificate of one host. Times are null until there is one. */
export interface CertificateState {
  host: string;
  notAfter: Date | null;
  /** When the next order is due. */
  dueAt: Date;
  /** Consecutive failures. */
  failures: number;
  /** One sentence; null after a success. */
  lastError: string | null;
}

/** A usable certificate; `version` changes with each renewal. */
export interface StoredCertificate extends TlsFiles {
  host: string;
  version: string;
}

const CHALLENGE_LIFETIME = `interval '1 day'`;
/** Let's Encrypt permits 300 new orders per account in three hours. */
const ORDERS = {
  limit: 250,
  period: `interval '3 hours'`,
  // Even if a certificate seems to be due when it is issued, because a clock is wrong.
  pause: `interval '12 hours'`,
};

/** The certificates of the hosts that need one, for alerts, the doctor and the command line. */
export async function certificateStates(db: Queryable): Promise<CertificateState[]> {
  const { rows } = await db.query<CertificateState>(
    `SELECT host, not_after AS "notAfter", due_at AS "dueAt", failures, last_error AS "lastError"
       FROM certificates WHERE wanted ORDER BY host`,
  );
  return rows;
}

/** Makes the certificate of a host due now, or of all hosts. Returns the hosts. */
export async function requestRenewal(db: Queryable, host: string | null): Promise<string[]> {
  const { rows } = await db.query<{ host: string }>(
    'UPDATE certificates SET due_at = now() WHERE wanted AND ($1::text IS NULL OR host = $1) RETURNING host',
    [host],
  );
  return rows.map((row) => row.host).toSorted();
}

/** Certificates, ACME accounts and challenges in the database. Private keys are sealed with the master key. */
@Injectable()
export class CertificateStore {
  constructor(
    private readonly database: Database,
    private readonly secretBox: SecretBox,
  ) {}

  /** Sets which hosts need a certificate. One that is not needed any more is kept until its end. */
  async want(hosts: readonly string[]): Promise<void> {
    await this.database.query(
      `INSERT INTO certificates (host) SELECT unnest($1::text[]) AS host EXCEPT SELECT host FROM certificates
       ON CONFLICT DO NOTHING`,
      [hosts],
    );
    await this.database.query('UPDATE certificates SET wanted = NOT wanted WHERE wanted <> (host = ANY($1::text[]))', [
      hosts,
    ]);
    await this.database.query('DELETE FROM certificates WHERE NOT wanted AND coalesce(not_after < now(), true)');
  }

  /** Hosts whose order is due, those that wait longest first; no more than the authority permits. */
  async due(): Promise<string[]> {
    const { rows } = await this.database.query<{ host: string }>(
      `SELECT host FROM certificates WHERE wanted AND due_at <= now() ORDER BY due_at, host
        LIMIT greatest(0, ${ORDERS.limit} -
          (SELECT count(*) FROM certificates WHERE attempted_at > now() - ${ORDERS.period}))`,
    );
    return rows.map(({ host }) => host);
  }

  async store(host: string, { cert, key }: TlsFiles): Promise<void> {
    const { validFrom, validTo } = new X509Certificate(cert);
    const times = { validFrom: new Date(validFrom), validTo: new Date(validTo) };
    await this.database.query(
      `UPDATE certificates SET chain = $2, key_sealed = $3, not_after = $4, due_at = greatest($5, now() + ${ORDERS.pause}), renewed_at = clock_timestamp(),
              attempted_at = now(), failures = 0, last_error = NULL WHERE host = $1`,
      [host, cert, this.secretBox.seal(key, rowOf(host)), times.validTo, renewalTime(times)],
    );
  }

  /** Returns the number of consecutive failures, this one included. The certificate that is there stays. */
  async fail(host: string, sentence: string, delayOf: (failures: number) => number): Promise<number> {
    const { rows } = await this.database.query<{ failures: number }>(
      `UPDATE certificates SET failures = failures + 1, last_error = $2, attempted_at = now()
        WHERE host = $1 RETURNING failures`,
      [host, sentence],
    );
    const failures = rows[0]?.failures ?? 1;
    await this.database.query(
      `UPDATE certificates SET due_at = now() + $2 * interval '1 millisecond' WHERE host = $1`,
      [host, delayOf(failures)],
    );
    return failures;
  }

  /** The version of each certificate, to find out which to load. */
  async versions(): Promise<Map<string, string>> {
    const { rows } = await this.database.query<{ host: string; version: string }>({
      name: 'certificate-versions',
      text: 'SELECT host, renewed_at::text AS version FROM certificates WHERE chain IS NOT NULL',
      values: [],
    });
    return new Map(rows.map(({ host, version }) => [host, version]));
  }

  async load(hosts: readonly string[]): Promise<StoredCertificate[]> {
    const { rows } = await this.database.query<{ host: string; version: string; chain: string; key_sealed: Buffer }>(
      `SELECT host, renewed_at::text AS version, chain, key_sealed FROM certificates
        WHERE host = ANY($1) AND chain IS NOT NULL`,
      [hosts],
    );
    return rows.map(({ host, version, chain, key_sealed }) => ({
      ...{ host, version, cert: chain, key: this.secretBox.open(key_sealed, rowOf(host)) },
    }));
  }

  /** The key of the account at an authority, made by `make` for the first one that asks. */
  async accountKey(directory: string, make: () => Promise<string>): Promise<string> {
    const find = () =>
      this.database.query<{ key_sealed: Buffer }>('SELECT key_sealed FROM acme_accounts WHERE directory = $1', [
        directory,
      ]);
    let { rows } = await find();
    if (rows.length === 0) {
      await this.database.query(
        'INSERT INTO acme_accounts (directory, key_sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING',
        [directory, this.secretBox.seal(await make(), accountRowOf(directory))],
      );
      ({ rows } = await find());
    }
    return this.secretBox.open(rows[0].key_sealed, accountRowOf(directory));
  }

  /** The authority accepts the account no more. */
  async forgetAccount(directory: string): Promise<void> {
    await this.database.query('DELETE FROM acme_accounts WHERE directory = $1', [directory]);
  }

  async openChallenge(token: string, keyAuthorization: string): Promise<void> {
    await this.database.query(`DELETE FROM acme_challenges WHERE created_at < now() - ${CHALLENGE_LIFETIME}`);
    await this.database.query(
      'INSERT INTO acme_challenges (token, key_authorization) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [token, keyAuthorization],
    );
  }

  async closeChallenge(token: string): Promise<void> {
    await this.database.query('DELETE FROM acme_challenges WHERE token = $1', [token]);
  }

  /** The response to a challenge (RFC 8555 section 8.3); null if this service has not asked for it. */
  async challengeResponse(token: string): Promise<string | null> {
    const { rows } = await this.database.query<{ key_authorization: string }>(
      'SELECT key_authorization FROM acme_challenges WHERE token = $1',
      [token],
    );
    return rows[0]?.key_authorization ?? null;
  }
}

const rowOf = (host: string): string => `certificate ${host}`;
const accountRowOf = (directory: string): string => `acme account ${directory}`;
