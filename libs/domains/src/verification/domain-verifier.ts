import { Config, Log, Wakeups } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { DOMAIN_COLUMNS, type DomainRow } from '../domain-row.js';
import { expectedRecords, type ExpectedRecord } from '../expected-records.js';
import { AutomaticRotation } from './automatic-rotation.js';
import { CheckSettlement, type Outcomes, type Settled } from './check-settlement.js';
import { DnsSession } from './dns-session.js';
import { RecordCheck } from './record-check.js';
import { zoneView, type ZoneView } from './zone-view.js';

/** One domain to look at. The fence says whether the check still counts when it is done. */
export interface DomainCheck {
  domain: DomainRow;
  fence: number;
}

/** A check takes at most this long; what DNS has not answered by then is left open. */
const CHECK_MS = 20_000;
/** A claim is a lease: whoever died with it is succeeded after this long. */
const LEASE_S = 60;
/** Checks of one account at once in this process: a thousand domains with dead name servers wait for each other only. */
const PER_ACCOUNT = 10;

const CLAIM = `
  UPDATE domains SET fence = fence + 1, due_at = now() + make_interval(secs => $3)
   WHERE id IN (SELECT id FROM domains WHERE due_at <= now() AND account_id <> ALL($2)
                 ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING ${DOMAIN_COLUMNS}, fence`;

/** Finds out what DNS says of domains, and turns it into what they may do (D-45, D-46). */
@Injectable()
export class DomainVerifier {
  /** Checks under way, by account. */
  private readonly running = new Map<string, number>();
  private readonly sessions = new Set<DnsSession>();
  private readonly settlement: CheckSettlement;
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly wakeups: Wakeups,
    private readonly rotation: AutomaticRotation,
    private readonly log: Log,
  ) {
    this.settlement = new CheckSettlement(database, config);
  }

  /** Takes up to `limit` domains that are due, of no account too many. */
  async claim(limit: number): Promise<DomainCheck[]> {
    const claimed: DomainCheck[] = [];
    while (claimed.length < limit) {
      const full = [...this.running].filter(([, count]) => count >= PER_ACCOUNT).map(([accountId]) => accountId);
      const { rows } = await this.database.query<DomainRow & { fence: number }>({
        name: 'domains-claim',
        text: CLAIM,
        values: [Math.min(PER_ACCOUNT, limit - claimed.length), full, LEASE_S],
      });
      if (rows.length === 0) break;
      for (const { fence, ...domain } of rows) {
        this.running.set(domain.accountId, (this.running.get(domain.accountId) ?? 0) + 1);
        claimed.push({ domain, fence });
      }
    }
    return claimed;
  }

  /** Asks DNS, outside any transaction, and writes down what follows; nothing, when the entry changed hands meanwhile. */
  async check(job: DomainCheck): Promise<void> {
    const session = new DnsSession(CHECK_MS);
    this.sessions.add(session);
    try {
      const { SERVICE_DOMAIN, DNS_SERVERS = [] } = this.config.settings;
      const zone = await zoneView(job.domain.name, DNS_SERVERS, session);
      const outcomes = await new RecordCheck(job.domain.name, SERVICE_DOMAIN, zone).run(
        this.recordsToAskFor(job.domain),
      );
      // What was broken off says nothing about the domain.
      if (this.stopped) await this.giveBack(job);
      else await this.conclude(job, outcomes, zone);
    } finally {
      session.close();
      this.sessions.delete(session);
      this.release(job.domain.accountId);
    }
  }

  /** Breaks off what runs; it is due again at once. */
  stop(): void {
    this.stopped = true;
    for (const session of this.sessions) session.cancel();
  }

  /** The operator answers for what stands in DNS of a vouched domain; only its keys may be on their way. */
  private recordsToAskFor(domain: DomainRow): ExpectedRecord[] {
    const expected = expectedRecords(domain, this.config.settings.SERVICE_DOMAIN);
    return domain.vouched ? expected.filter(({ dkim }) => dkim && dkim.key.state !== 'active') : expected;
  }

  private async conclude({ domain, fence }: DomainCheck, outcomes: Outcomes, zone: ZoneView): Promise<void> {
    const settled = await this.settlement.settle(domain.id, fence, outcomes);
    if (settled === null) return;
    if (settled.reasons.length > 0) this.tell(domain, settled);
    await this.rotation.consider(domain, zone);
  }

  private tell(domain: DomainRow, settled: Settled): void {
    this.log.info('domain changed', { domain: domain.id, status: settled.status, reasons: settled.reasons });
    this.wakeups.ring('outbox');
    this.wakeups.ring('due-domains');
  }

  private async giveBack({ domain, fence }: DomainCheck): Promise<void> {
    await this.database.query('UPDATE domains SET due_at = now() WHERE id = $1 AND fence = $2 AND due_at IS NOT NULL', [
      domain.id,
      fence,
    ]);
  }

  private release(accountId: string): void {
    const others = (this.running.get(accountId) ?? 1) - 1;
    if (others > 0) this.running.set(accountId, others);
    else this.running.delete(accountId);
  }
}
