import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { DeliveryPolicies, type DeliveryPolicy } from '#libs/domains';
import { LocalNotifications, Log, Metrics, Poller, Shutdown } from '#libs/kernel';
import { outbox, Database, type Queryable } from '#libs/persistence';
import type { BotVerdict, TrackedRecipient } from '#libs/tracking';
import type { RoutedEvent } from '#libs/contracts';
import { emailEvent, emailInfoOf } from '../message/email-events.js';
import { lockVisitedEmails, type VisitedEmail } from '../queries/visited-emails.js';

/** An open or a click, as it was requested. */
export interface RecipientVisit extends TrackedRecipient {
  kind: 'open' | 'click';
  /** The target of a click. */
  url: string;
  at: Date;
  address: string | null;
  userAgent: string | null;
  bot: BotVerdict | null;
}

/** Visits that wait for their batch: some seconds of a flood. */
const MAX_WAITING = 20_000;
/** Of one recipient, in one batch; a person does not open a message more often in a quarter of a second. */
const MAX_PER_RECIPIENT = 20;
const BATCH = 500;
const FLUSH_MS = 250;

/**
 * Records opens and clicks in batches, so that a request does not wait for the database. A crash loses the visits of the
 * last quarter of a second; a flood is cut off and counted.
 */
@Injectable()
export class RecordVisits {
  private waiting: RecipientVisit[] = [];
  private readonly perRecipient = new Map<string, number>();
  private readonly poller: Poller;
  private readonly counter: Counter<'kind' | 'outcome'>;

  constructor(
    private readonly database: Database,
    private readonly policies: DeliveryPolicies,
    private readonly notifications: LocalNotifications,
    shutdown: Shutdown,
    log: Log,
    metrics: Metrics,
  ) {
    this.counter = new Counter({
      name: 'postloft_tracking_visits_total',
      help: 'Opens and clicks: recorded, of a message that retention has deleted (unknown), or cut off in a flood (dropped).',
      labelNames: ['kind', 'outcome'],
      registers: [metrics.registry],
    });
    this.poller = new Poller({ name: 'tracking visits', pollMs: FLUSH_MS, round: () => this.flush() }, log);
    shutdown.on('flush', 'tracking visits', async () => {
      await this.poller.stop();
      while (this.waiting.length > 0) await this.flush();
    });
  }

  add(visit: RecipientVisit): void {
    this.poller.start();
    const number = (this.perRecipient.get(keyOf(visit)) ?? 0) + 1;
    if (this.waiting.length >= MAX_WAITING || number > MAX_PER_RECIPIENT) return this.count(visit, 'dropped');
    this.perRecipient.set(keyOf(visit), number);
    this.waiting.push(visit);
  }

  /** Records one batch; true if more are waiting. The visits of a batch that fails wait for the next round. */
  private async flush(): Promise<boolean> {
    const batch = this.waiting.slice(0, BATCH);
    if (batch.length === 0) return false;
    const recorded = await this.database.transactionWithRetry((tx) => this.write(tx, batch));
    this.waiting.splice(0, batch.length);
    for (const visit of batch) {
      this.forget(visit);
      this.count(visit, recorded.has(visit) ? 'recorded' : 'unknown');
    }
    this.notifications.notify('outbox');
    return this.waiting.length > 0;
  }

  private async write(tx: Queryable, batch: readonly RecipientVisit[]): Promise<Set<RecipientVisit>> {
    const emails = await lockVisitedEmails(tx, batch);
    const policies = new Map<VisitedEmail, DeliveryPolicy>();
    for (const email of emails.values())
      policies.set(email, await this.policies.of(email.row.account_id, email.row.domain_id));
    const known = batch.filter(({ emailId, ordinal }) => emails.get(emailId)?.addresses.has(ordinal));
    const before = await countVisits(tx, known);
    const events: RoutedEvent[] = [];
    for (const visit of known) {
      const email = emails.get(visit.emailId) as VisitedEmail;
      email.sequence += 1;
      if (visit.bot === null) email.lastEvent = visit.kind === 'open' ? 'opened' : 'clicked';
      email.lastAt = visit.at;
      const opens = before.next(visit);
      events.push(eventOf(visit, { email, opens, isPrivate: policies.get(email)?.trackingPrivacy ?? true }));
    }
    await updateEmails(tx, [...emails.values()]);
    await outbox.append(tx, events);
    return new Set(known);
  }

  private forget(visit: RecipientVisit): void {
    const left = (this.perRecipient.get(keyOf(visit)) ?? 0) - 1;
    if (left > 0) this.perRecipient.set(keyOf(visit), left);
    else this.perRecipient.delete(keyOf(visit));
  }

  private count({ kind }: RecipientVisit, outcome: 'recorded' | 'unknown' | 'dropped'): void {
    this.counter.inc({ kind, outcome });
  }
}

const keyOf = ({ emailId, ordinal }: TrackedRecipient): string => `${emailId} ${ordinal}`;

/** Adds the visits to the row of each recipient; `next` tells the number of opens of the recipient up to a visit. */
async function countVisits(tx: Queryable, visits: readonly RecipientVisit[]) {
  const { rows } = await tx.query<{ email_id: string; ordinal: number; opens: number }>({
    name: 'tracking-count',
    text: `
      INSERT INTO recipient_visits AS v (email_id, ordinal, opens, bot_opens, first_opened_at, last_opened_at,
                                         clicks, bot_clicks, first_clicked_at, last_clicked_at)
      SELECT email_id, ordinal,
             count(*) FILTER (WHERE is_open), count(*) FILTER (WHERE is_open AND is_bot),
             min(at) FILTER (WHERE is_open AND NOT is_bot), max(at) FILTER (WHERE is_open AND NOT is_bot),
             count(*) FILTER (WHERE NOT is_open), count(*) FILTER (WHERE NOT is_open AND is_bot),
             min(at) FILTER (WHERE NOT is_open AND NOT is_bot), max(at) FILTER (WHERE NOT is_open AND NOT is_bot)
        FROM unnest($1::text[], $2::smallint[], $3::boolean[], $4::boolean[], $5::timestamptz[])
               AS n (email_id, ordinal, is_open, is_bot, at)
       GROUP BY email_id, ordinal ORDER BY email_id, ordinal
      ON CONFLICT (email_id, ordinal) DO UPDATE
         SET opens = v.opens + excluded.opens, bot_opens = v.bot_opens + excluded.bot_opens,
             first_opened_at = least(v.first_opened_at, excluded.first_opened_at),
             last_opened_at = greatest(v.last_opened_at, excluded.last_opened_at),
             clicks = v.clicks + excluded.clicks, bot_clicks = v.bot_clicks + excluded.bot_clicks,
             first_clicked_at = least(v.first_clicked_at, excluded.first_clicked_at),
             last_clicked_at = greatest(v.last_clicked_at, excluded.last_clicked_at)
      RETURNING email_id, ordinal, opens`,
    values: [
      visits.map(({ emailId }) => emailId),
      visits.map(({ ordinal }) => ordinal),
      visits.map(({ kind }) => kind === 'open'),
      visits.map(({ bot }) => bot !== null),
      visits.map(({ at }) => at),
    ],
  });
  const opens = new Map(rows.map((row) => [keyOf({ emailId: row.email_id, ordinal: row.ordinal }), row.opens]));
  for (const visit of visits) if (visit.kind === 'open') opens.set(keyOf(visit), (opens.get(keyOf(visit)) ?? 0) - 1);
  return {
    next(visit: RecipientVisit): number {
      const count = (opens.get(keyOf(visit)) ?? 0) + (visit.kind === 'open' ? 1 : 0);
      opens.set(keyOf(visit), count);
      return count;
    },
  };
}

async function updateEmails(tx: Queryable, emails: readonly VisitedEmail[]): Promise<void> {
  await tx.query({
    name: 'tracking-emails',
    text: `
      UPDATE emails e
         SET sequence = v.sequence, last_event = coalesce(v.last_event, e.last_event),
             updated_at = greatest(e.updated_at, v.at)
        FROM unnest($1::text[], $2::int[], $3::text[], $4::timestamptz[]) AS v (id, sequence, last_event, at)
       WHERE e.id = v.id`,
    values: [
      emails.map(({ row }) => row.id),
      emails.map(({ sequence }) => sequence),
      emails.map(({ lastEvent }) => lastEvent),
      emails.map(({ lastAt }) => lastAt),
    ],
  });
}

function eventOf(
  visit: RecipientVisit,
  { email, opens, isPrivate }: { email: VisitedEmail; opens: number; isPrivate: boolean },
): RoutedEvent {
  const [ip, userAgent] = isPrivate ? [null, null] : [visit.address, visit.userAgent];
  const when = visit.at.toISOString();
  const common = { recipient: email.addresses.get(visit.ordinal) ?? '', sequence: email.sequence, at: visit.at };
  const bot = { is_bot: visit.bot !== null, bot_kind: visit.bot?.kind ?? null, bot_rule: visit.bot?.rule ?? null };
  const info = emailInfoOf(email.row);
  if (visit.kind === 'open') {
    const added = { opened_at: when, ip, user_agent: userAgent, ...bot, open_count: opens };
    return emailEvent(info, { ...common, type: 'email.opened', added });
  }
  const click = { link: visit.url, timestamp: when, ipAddress: ip, userAgent };
  return emailEvent(info, {
    ...common,
    type: 'email.clicked',
    added: { click_url: visit.url, clicked_at: when, ...bot, click },
  });
}
