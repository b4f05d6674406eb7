import { DnsSession, zoneView } from '#libs/dns';
import type { Config } from '#libs/kernel';
import type { Database } from '#libs/persistence';
import { DOMAIN_COLUMNS, type DomainRow } from './model/domain-row.js';
import { expectedRecords, REQUIRED_SLOTS, type ExpectedRecord } from './model/expected-records.js';
import type { Outcome } from './verification/judgement.js';
import { RecordCheck } from './verification/record-check.js';

/** One record of a domain with its present state in DNS. */
export interface InspectedRecord extends Pick<ExpectedRecord, 'slot' | 'record' | 'type' | 'name' | 'value'> {
  required: boolean;
  outcome: Outcome;
}

export interface InspectedDomain extends Pick<DomainRow, 'id' | 'name' | 'status' | 'vouched'> {
  accountId: string;
  records: InspectedRecord[];
}

/** An active domain that will stop sending unless its lost records are restored. */
export interface DomainWithWarning extends Pick<DomainRow, 'id' | 'name'> {
  accountId: string;
  since: Date;
  /** Names of required records that are missing or wrong. */
  lost: string[];
}

/** A name can be pending in any number of accounts. */
const MAX_ENTRIES = 10;
const BY_NAME = `SELECT ${DOMAIN_COLUMNS} FROM domains WHERE name = $1 ORDER BY (status = 'active') DESC, id LIMIT ${MAX_ENTRIES}`;
const WITH_WARNING = `SELECT ${DOMAIN_COLUMNS} FROM domains WHERE status = 'active' AND warning_since IS NOT NULL ORDER BY name LIMIT $1`;

const VOUCHED = `SELECT name FROM domains WHERE status = 'active' AND vouched ORDER BY name LIMIT $1`;

/** Read-only access of the operator to the domains of all accounts. */
export class DomainInspection {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** Queries DNS, for at most `withinMs`, for the records of all entries of this name. */
  async inspect(name: string, withinMs: number): Promise<InspectedDomain[]> {
    const { rows } = await this.database.query<DomainRow>(BY_NAME, [name]);
    if (rows.length === 0) return [];
    const session = new DnsSession(withinMs);
    try {
      const { SERVICE_DOMAIN, DNS_SERVERS = [] } = this.config.settings;
      const check = new RecordCheck(name, SERVICE_DOMAIN, await zoneView(name, DNS_SERVERS, session));
      return await Promise.all(rows.map((row) => this.inspectEntry(row, check)));
    } finally {
      session.close();
    }
  }

  /** The accounts that have added this name, those of an active domain first. */
  async accountsOf(name: string): Promise<string[]> {
    const { rows } = await this.database.query<DomainRow>(BY_NAME, [name]);
    return [...new Set(rows.map(({ account_id }) => account_id))];
  }

  /** Names of domains whose records are not checked, because the operator vouches for them. */
  async vouched(limit: number): Promise<string[]> {
    const { rows } = await this.database.query<{ name: string }>(VOUCHED, [limit]);
    return rows.map(({ name }) => name);
  }

  /** Domains with a warning of the verifier, by name. */
  async withWarning(limit: number): Promise<DomainWithWarning[]> {
    const { rows } = await this.database.query<DomainRow>(WITH_WARNING, [limit]);
    return rows.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      name: row.name,
      since: row.warning_since as Date,
      lost: this.expected(row)
        .filter(({ slot }) => REQUIRED_SLOTS.includes(slot))
        .filter(({ slot }) => row.findings.find((found) => found.slot === slot)?.status !== 'verified')
        .map((record) => record.name),
    }));
  }

  private async inspectEntry(row: DomainRow, check: RecordCheck): Promise<InspectedDomain> {
    const { id, account_id: accountId, name, status, vouched } = row;
    const expected = this.expected(row);
    const outcomes = await check.run(expected);
    const records = expected.map(({ slot, record, type, name: at, value }): InspectedRecord => ({
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
