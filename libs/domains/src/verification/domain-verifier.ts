import { Config, Log, Wakeups } from '#libs/kernel';
import { appendEvents, Database, isDuplicate, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { storeRing } from '../dkim/key-rows.js';
import { domainEvent, type DomainEventReason } from '../domain-event.js';
import { DOMAIN_COLUMNS, type DomainRow } from '../domain-row.js';
import { expectedRecords, type ExpectedRecord, type Slot } from '../expected-records.js';
import { wakeClaimants } from '../wake-claimants.js';
import { AutomaticRotation } from './automatic-rotation.js';
import { DnsSession } from './dns-session.js';
import { judgeDomain, judgeVouched, type DomainVerdict, type Moment } from './domain-verdict.js';
import { wrong, type Outcome } from './judgement.js';
import { keysDueInMs, turnKeys } from './key-turn.js';
import { RecordCheck } from './record-check.js';
import { zoneView, type ZoneView } from './zone-view.js';

/** One domain to look at. The fence says whether the check still counts when it is done. */
export interface DomainCheck {
  domain: DomainRow;
  fence: number;
}

type CheckedRow = DomainRow & { askedAt: Date | null; sequence: number; now: Date };
type Outcomes = ReadonlyMap<Slot, Outcome>;

/** What DNS said, and when. */
interface Look {
  outcomes: Outcomes;
  at: Moment;
}

/** What became of a domain; `reasons` are those of the events that tell of it. */
interface Settled {
  status: DomainRow['status'];
  reasons: DomainEventReason[];
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

const LOCK = `
  SELECT ${DOMAIN_COLUMNS}, asked_at AS "askedAt", sequence, now() AS now
    FROM domains WHERE id = $1 AND fence = $2 FOR UPDATE`;

const SETTLE = `
  UPDATE domains SET status = $2, findings = $3, verified_at = $4, warning_since = $5, sequence = $6,
                     checked_at = now(), updated_at = now(), due_at = now() + make_interval(secs => $7)
   WHERE id = $1
  RETURNING ${DOMAIN_COLUMNS}`;

/** Finds out what DNS says of domains, and turns it into what they may do (D-45, D-46). */
@Injectable()
export class DomainVerifier {
  /** Checks under way, by account. */
  private readonly running = new Map<string, number>();
  private readonly sessions = new Set<DnsSession>();
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly wakeups: Wakeups,
    private readonly rotation: AutomaticRotation,
    private readonly log: Log,
  ) {}

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
    const settled = await this.settle(domain.id, fence, outcomes);
    if (settled === null) return;
    await this.rotation.consider(domain, zone);
    if (settled.reasons.length === 0) return;
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

  private async settle(id: string, fence: number, outcomes: Outcomes): Promise<Settled | null> {
    try {
      return await this.database.transaction((tx) => this.settleIn(tx, { id, fence, outcomes }));
    } catch (error) {
      // Another account's entry became active between our look and our write; now it is there to be seen.
      if (!isDuplicate(error)) throw error;
      return this.database.transaction((tx) => this.settleIn(tx, { id, fence, outcomes }));
    }
  }

  private async settleIn(
    tx: Queryable,
    { id, fence, outcomes }: { id: string; fence: number; outcomes: Outcomes },
  ): Promise<Settled | null> {
    const { rows } = await tx.query<CheckedRow>(LOCK, [id, fence]);
    if (rows.length === 0) return null;
    const [row] = rows;
    const at: Moment = { now: row.now, intervalMs: this.config.settings.DOMAIN_CHECK_INTERVAL };
    const turned = turnKeys(row, outcomes, at);
    const verdict = await this.verdict(tx, { ...row, findings: turned.findings }, { outcomes: turned.outcomes, at });
    const reasons = [turned.change, verdict.reason].filter((reason) => reason !== null);
    const due = [verdict.dueInMs, keysDueInMs(turned.keys, row.askedAt, at)].filter((ms) => ms !== null);
    await storeRing(tx, row, turned.keys);
    const settled = await tx.query<DomainRow>(SETTLE, [
      id,
      verdict.status,
      JSON.stringify(verdict.findings),
      verdict.verifiedAt,
      verdict.warningSince,
      row.sequence + reasons.length,
      due.length === 0 ? null : Math.min(...due) / 1_000,
    ]);
    const events = reasons.map((reason, i) => {
      const of = { type: 'domain.updated' as const, reason, sequence: row.sequence + i + 1, at: row.now };
      return domainEvent(settled.rows[0], this.config.settings.SERVICE_DOMAIN, of);
    });
    await appendEvents(tx, events);
    if (row.status === 'active' && verdict.status === 'failed') await wakeClaimants(tx, row.name);
    return { status: verdict.status, reasons };
  }

  /** The first account to publish its key has the domain (D-43); the others wait until it is given up. */
  private async verdict(tx: Queryable, row: CheckedRow, { outcomes, at }: Look): Promise<DomainVerdict> {
    if (row.vouched) return judgeVouched(row, outcomes, at);
    const verdict = judgeDomain(row, outcomes, at);
    if (row.status === 'active' || verdict.status !== 'active') return verdict;
    const owners = await tx.query(`SELECT 1 FROM domains WHERE name = $1 AND status = 'active' AND id <> $2`, [
      row.name,
      row.id,
    ]);
    return owners.rowCount === 0 ? verdict : judgeDomain(row, withTakenKey(outcomes), at);
  }
}

/** Told only to those who proved by their own key that they hold the zone. */
function withTakenKey(outcomes: Outcomes): Outcomes {
  const dkim = outcomes.get('dkim');
  const observed = dkim && dkim.verdict !== 'unanswered' ? dkim.observed : [];
  const error =
    'The key is published, but the domain is active in another account. Remove it there, or its key from DNS; this entry becomes active then.';
  return new Map(outcomes).set('dkim', wrong(observed, error));
}
