import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { TlsResult } from '#libs/mta';
import { Database, type Queryable } from '#libs/persistence';
import { type CountedResult, tlsReport, type TlsReport } from './tls-report.js';

/**
 * Kinds of sessions held between two writes; beyond this, sessions of new kinds are not counted. The number of possible
 * failure reasons is unlimited.
 */
const MAX_KINDS = 20_000;
const REASON_CHARACTERS = 200;

/**
 * Counts sessions in memory; `flush` adds them to the rows of the day. Any number of processes may count concurrently.
 */
@Injectable()
export class TlsResults {
  private kinds = new Map<string, CountedResult & { day: string }>();

  constructor(private readonly database: Database) {}

  add(given: TlsResult, at: Date): void {
    const result = { ...given, failureReason: given.failureReason?.slice(0, REASON_CHARACTERS) ?? null };
    this.count({ result, sessions: 1, day: at.toISOString().slice(0, 10) });
  }

  async flush(): Promise<void> {
    if (this.kinds.size === 0) return;
    const counted = this.kinds;
    this.kinds = new Map();
    try {
      await this.write([...counted.values()]);
    } catch (error) {
      for (const one of counted.values()) this.count(one);
      throw error;
    }
  }

  private count(one: CountedResult & { day: string }): void {
    const key = `${one.day} ${JSON.stringify(one.result)}`;
    const known = this.kinds.get(key);
    if (known) known.sessions += one.sessions;
    else if (this.kinds.size < MAX_KINDS) this.kinds.set(key, { ...one });
  }

  private async write(counted: (CountedResult & { day: string })[]): Promise<void> {
    const rows = counted.map(({ day, result, sessions }) => ({
      day,
      policy_domain: result.policyDomain,
      result_hash: createHash('sha256').update(JSON.stringify(result)).digest('hex'),
      result,
      sessions,
    }));
    // One order for all processes prevents deadlocks.
    rows.sort((a, b) => (a.policy_domain + a.result_hash < b.policy_domain + b.result_hash ? -1 : 1));
    await this.database.query(
      `INSERT INTO tls_results (day, policy_domain, result_hash, result, sessions)
       SELECT day, policy_domain, decode(result_hash, 'hex'), result, sessions
         FROM json_to_recordset($1::json) AS v(day date, policy_domain text, result_hash text, result jsonb, sessions int)
       ON CONFLICT (day, policy_domain, result_hash) DO UPDATE SET sessions = tls_results.sessions + excluded.sessions`,
      [JSON.stringify(rows)],
    );
  }
}

/** The report on one domain and day as counted so far; null if there was no session. */
export async function tlsReportOf(
  db: Queryable,
  { domain, day, submitter }: { domain: string; day: string; submitter: string },
): Promise<TlsReport | null> {
  const { rows } = await db.query<CountedResult>(
    'SELECT result, sessions FROM tls_results WHERE day = $1 AND policy_domain = $2 ORDER BY result_hash',
    [day, domain],
  );
  if (rows.length === 0) return null;
  return tlsReport({ domain, day, submitter, contact: `postmaster@${submitter}`, results: rows });
}
