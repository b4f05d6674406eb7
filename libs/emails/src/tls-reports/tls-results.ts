import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { TlsResult } from '#libs/mta';
import { Database } from '#libs/persistence';
import type { CountedResult } from './tls-report.js';

/** Kinds of sessions held between two writes; above, new kinds are not counted. Failures can have any number of words. */
const MOST_KINDS = 20_000;
const REASON_CHARACTERS = 200;

/** Counts sessions in memory; `flush` adds them to the rows of the day. Any number of processes may count at once. */
@Injectable()
export class TlsResults {
  private kinds = new Map<string, CountedResult & { day: string }>();
  /** Sessions that found no place; for the log. */
  dropped = 0;

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
    else if (this.kinds.size < MOST_KINDS) this.kinds.set(key, { ...one });
    else this.dropped += one.sessions;
  }

  private async write(counted: (CountedResult & { day: string })[]): Promise<void> {
    const rows = counted.map(({ day, result, sessions }) => ({
      day,
      policy_domain: result.policyDomain,
      kind: createHash('sha256').update(JSON.stringify(result)).digest('hex'),
      result,
      sessions,
    }));
    // In one order, so that two processes cannot wait for each other in a ring.
    rows.sort((a, b) => (a.policy_domain + a.kind < b.policy_domain + b.kind ? -1 : 1));
    await this.database.query(
      `INSERT INTO tls_results (day, policy_domain, kind, result, sessions)
       SELECT day, policy_domain, decode(kind, 'hex'), result, sessions
         FROM json_to_recordset($1::json) AS v(day date, policy_domain text, kind text, result jsonb, sessions int)
       ON CONFLICT (day, policy_domain, kind) DO UPDATE SET sessions = tls_results.sessions + excluded.sessions`,
      [JSON.stringify(rows)],
    );
  }
}
