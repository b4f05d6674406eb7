import { Injectable } from '@nestjs/common';
import { DnsSession, zoneView, type ZoneView } from '#libs/dns';
import { Config, LocalNotifications, Log } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { DOMAIN_COLUMNS, type DomainRow } from '../model/domain-row.js';
import { expectedRecords, type ExpectedRecord } from '../model/expected-records.js';
import { AutomaticRotation } from '../dkim/automatic-rotation.js';
import { DkimRotation } from '../dkim/dkim-rotation.js';
import { CheckResults, type Outcomes, type AppliedCheck } from './check-results.js';
import { RecordCheck } from './record-check.js';

/** A claimed domain. The outcomes are dropped if the fence has changed when the check ends. */
export interface DomainCheck {
  domain: DomainRow;
  fence: number;
}

/** Time limit of a check. Queries without an answer by then count as unanswered. */
const CHECK_MS = 20_000;
/** After this time another process may claim the domain of a process that died. */
const LEASE_S = 60;
/** Concurrent checks per account and process, so that many domains with dead name servers delay only their own account. */
const PER_ACCOUNT = 10;

const CLAIM = `
  UPDATE domains SET fence = fence + 1, due_at = now() + make_interval(secs => $3)
   WHERE id IN (SELECT id FROM domains WHERE due_at <= now() AND account_id <> ALL($2)
                 ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING ${DOMAIN_COLUMNS}, fence`;

/** Checks the records of domains in DNS and decides whether they may send (docs/decisions/021). */
@Injectable()
export class DomainVerifier {
  /** Running checks, by account. */
  private readonly running = new Map<string, number>();
  private readonly sessions = new Set<DnsSession>();
  private readonly results: CheckResults;
  private readonly automaticRotation: AutomaticRotation;
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly notifications: LocalNotifications,
    rotation: DkimRotation,
    private readonly log: Log,
  ) {
    this.results = new CheckResults(database, config);
    this.automaticRotation = new AutomaticRotation(rotation, config, log);
  }

  /** Claims up to `limit` domains that are due, within the limit per account. */
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
        this.running.set(domain.account_id, (this.running.get(domain.account_id) ?? 0) + 1);
        claimed.push({ domain, fence });
      }
    }
    return claimed;
  }

  /** Queries DNS outside any transaction, and applies the outcomes unless the entry was claimed or changed again. */
  async check(job: DomainCheck): Promise<void> {
    const session = new DnsSession(CHECK_MS);
    this.sessions.add(session);
    try {
      const { SERVICE_DOMAIN, DNS_SERVERS = [] } = this.config.settings;
      const zone = await zoneView(job.domain.name, DNS_SERVERS, session);
      const outcomes = await new RecordCheck(job.domain.name, SERVICE_DOMAIN, zone).run(
        this.recordsToCheck(job.domain),
      );
      // An aborted check has no valid outcomes.
      if (this.stopped) await this.requeue(job);
      else await this.applyOutcomes(job, outcomes, zone);
    } finally {
      session.close();
      this.sessions.delete(session);
      this.finish(job.domain.account_id);
    }
  }

  /** Aborts the running checks. Their domains are due again at once. */
  stop(): void {
    this.stopped = true;
    for (const session of this.sessions) session.cancel();
  }

  /** Of a vouched domain only keys of a rotation are checked; the operator vouches for the other records. */
  private recordsToCheck(domain: DomainRow): ExpectedRecord[] {
    const expected = expectedRecords(domain, this.config.settings.SERVICE_DOMAIN);
    return domain.vouched ? expected.filter(({ dkim }) => dkim && dkim.key.state !== 'active') : expected;
  }

  private async applyOutcomes({ domain, fence }: DomainCheck, outcomes: Outcomes, zone: ZoneView): Promise<void> {
    const applied = await this.results.apply(domain.id, fence, outcomes);
    if (applied === null) return;
    if (applied.reasons.length > 0) this.notify(domain, applied);
    await this.automaticRotation.rotateIfDue(domain, zone);
  }

  private notify(domain: DomainRow, applied: AppliedCheck): void {
    this.log.info('domain changed', { domain: domain.id, status: applied.status, reasons: applied.reasons });
    this.notifications.notify('outbox');
    this.notifications.notify('due-domains');
  }

  private async requeue({ domain, fence }: DomainCheck): Promise<void> {
    await this.database.query('UPDATE domains SET due_at = now() WHERE id = $1 AND fence = $2 AND due_at IS NOT NULL', [
      domain.id,
      fence,
    ]);
  }

  private finish(accountId: string): void {
    const others = (this.running.get(accountId) ?? 1) - 1;
    if (others > 0) this.running.set(accountId, others);
    else this.running.delete(accountId);
  }
}
