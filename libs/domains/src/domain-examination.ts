import type { Config } from '#libs/kernel';
import type { Database } from '#libs/persistence';
import { DOMAIN_COLUMNS, type DomainRow } from './domain-row.js';
import { expectedRecords, REQUIRED_SLOTS, type ExpectedRecord } from './expected-records.js';
import { DnsSession } from './verification/dns-session.js';
import type { Outcome } from './verification/judgement.js';
import { RecordCheck } from './verification/record-check.js';
import { zoneView } from './verification/zone-view.js';

/** One record of a domain, as DNS has it now. */
export interface ExaminedRecord extends Pick<ExpectedRecord, 'slot' | 'record' | 'type' | 'name' | 'value'> {
  required: boolean;
  outcome: Outcome;
}

export interface ExaminedDomain extends Pick<DomainRow, 'id' | 'accountId' | 'name' | 'status' | 'vouched'> {
  records: ExaminedRecord[];
}

/** An active domain that will stop sending unless what it lost comes back. */
export interface LosingDomain extends Pick<DomainRow, 'id' | 'accountId' | 'name'> {
  since: Date;
  /** Names of required records that are gone or wrong. */
  lost: string[];
}

/** A name is pending in any number of accounts. */
const ENTRIES = 10;
const BY_NAME = `SELECT ${DOMAIN_COLUMNS} FROM domains WHERE name = $1 ORDER BY (status = 'active') DESC, id LIMIT ${ENTRIES}`;
const LOSING = `SELECT ${DOMAIN_COLUMNS} FROM domains WHERE status = 'active' AND warning_since IS NOT NULL ORDER BY name LIMIT $1`;

/** The operator's look at domains of all accounts. Changes nothing. */
export class DomainExamination {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** Asks DNS now, for at most `withinMs`, for every record of every entry of this name. */
  async examine(name: string, withinMs: number): Promise<ExaminedDomain[]> {
    const { rows } = await this.database.query<DomainRow>(BY_NAME, [name]);
    if (rows.length === 0) return [];
    const session = new DnsSession(withinMs);
    try {
      const { SERVICE_DOMAIN, DNS_SERVERS = [] } = this.config.settings;
      const check = new RecordCheck(name, SERVICE_DOMAIN, await zoneView(name, DNS_SERVERS, session));
      return await Promise.all(rows.map((row) => this.look(row, check)));
    } finally {
      session.close();
    }
  }

  /** Those that the verifier warns of; by name. */
  async losing(limit: number): Promise<LosingDomain[]> {
    const { rows } = await this.database.query<DomainRow>(LOSING, [limit]);
    return rows.map((row) => ({
      id: row.id,
      accountId: row.accountId,
      name: row.name,
      since: row.warningSince as Date,
      lost: this.expected(row)
        .filter(({ slot }) => REQUIRED_SLOTS.includes(slot))
        .filter(({ slot }) => row.findings.find((found) => found.slot === slot)?.status !== 'verified')
        .map((record) => record.name),
    }));
  }

  private async look(row: DomainRow, check: RecordCheck): Promise<ExaminedDomain> {
    const { id, accountId, name, status, vouched } = row;
    const expected = this.expected(row);
    const outcomes = await check.run(expected);
    const records = expected.map(({ slot, record, type, name: at, value }): ExaminedRecord => ({
      slot,
      record,
      type,
      name: at,
      value,
      required: REQUIRED_SLOTS.includes(slot),
      outcome: outcomes.get(slot) ?? { verdict: 'unanswered', error: 'nobody was asked' },
    }));
    return { id, accountId, name, status, vouched, records };
  }

  private expected(row: DomainRow): ExpectedRecord[] {
    return expectedRecords(row, this.config.settings.SERVICE_DOMAIN);
  }
}
