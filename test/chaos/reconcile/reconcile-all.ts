import type { RunningService } from '../../support/services/program.js';
import { eachOf } from '../../support/delivery/reconciler.js';
import { indexOfRecipient, indexOfSubject, isDeferred, isRefused, plannedMessage } from './message-plan.js';
import type { Arrival, Recorder } from '../../support/mail-servers/recorder.js';

/** The first examples of each kind of difference are kept, all are counted. */
const EXAMPLES = 10;

/** A number of differences, and some of them. */
export class Differences {
  count = 0;
  readonly examples: string[] = [];

  add(example: string): void {
    this.count += 1;
    if (this.examples.length < EXAMPLES) this.examples.push(example);
  }
}

type Deferral = Pick<Arrival, 'recipient' | 'at'>;
type WebhookRequest = { id: string; at: number };

/** Messages as their clients know them. */
interface Sent {
  messages: number;
  acknowledged: ReadonlyMap<number, string>;
  unanswered: ReadonlySet<number>;
}

/** Something that a crash may repeat, and the two times between which there must have been one. */
export interface Repetition {
  key: string;
  previousAt: number;
  at: number;
}

export interface FullReconciliation {
  /** All must be zero. */
  differences: Record<DifferenceKind, Differences>;
  /** Deliveries after the first one. */
  deliveriesRepeated: Repetition[];
  /** Temporary failures without an event, because a crash came before the commit. */
  deferralsRepeated: Repetition[];
  webhooksRepeated: Repetition[];
  /** Temporary failures without a reply of the mail server, by reason: on a busy machine, a timeout. */
  unansweredAttempts: Map<string, number>;
}

const DIFFERENCE_KINDS = [
  // Acknowledged and unknown to the service, or to be accepted by the mail server and not there.
  'lost',
  // In the service or at the mail server, but sent by no client in this form.
  'phantom',
  // Accepted by the service more than once.
  'acceptedTwice',
  // Not the status that follows from the replies of the mail server.
  'wrongStatus',
  // Messages without exactly one event per recipient for acceptance, outcome and temporary failure.
  'wrongEvents',
  // Counters of `GET /stats` that differ from the events.
  'wrongStatistics',
  // Events without a request.
  'webhooksMissing',
  // Requests with an event that the service does not list.
  'webhooksUnknown',
] as const;
type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

interface ListedEmail {
  id: string;
  status: string;
  subject: string;
  to: string[];
}

interface ListedEvent {
  id: string;
  type: string;
  data: {
    email_id?: string;
    failure_type?: string;
    attempt?: number;
    smtp_code?: number | null;
    reason?: string;
  };
}

/** Compares clients, service, mail server, statistics and webhooks, once nothing is in progress. */
export async function reconcileAll(
  service: RunningService,
  sent: Sent,
  recorder: Recorder,
): Promise<FullReconciliation> {
  const comparison = new Comparison(sent);
  for await (const email of eachOf<ListedEmail>(service, '/emails?')) comparison.addEmail(email);
  for (const arrival of recorder.lines<Arrival>('arrivals')) comparison.addArrival(arrival);
  for (const deferral of recorder.lines<Deferral>('deferrals')) comparison.addDeferral(deferral);
  comparison.compareMessages();
  for await (const event of eachOf<ListedEvent>(service, '/events?')) comparison.addEvent(event);
  comparison.compareEvents();
  for (const request of recorder.lines<WebhookRequest>('webhooks')) comparison.addWebhook(request);
  comparison.compareWebhooks();
  comparison.compareStatistics(await statisticsOf(service));
  return comparison.result;
}

/** The totals of `GET /stats`. */
export async function statisticsOf(service: RunningService): Promise<Record<string, number>> {
  const response = await service.call('GET', `/stats?metrics=${STATISTICS.join(',')}`);
  if (response.status !== 200) throw new Error(`/stats was answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { totals: Record<string, number> }).totals;
}

const STATISTICS = ['accepted', 'sent', 'delivered', 'bounced', 'delivery_delayed', 'failed'] as const;
type Statistic = (typeof STATISTICS)[number];

/** The counter of an event, if any; `email.sent` counts at the first attempt. */
function statisticOf({ type, data }: ListedEvent): Statistic | null {
  switch (type) {
    case 'email.queued':
      return 'accepted';
    case 'email.sent':
      return data.attempt === 1 ? 'sent' : null;
    case 'email.delivered':
      return 'delivered';
    case 'email.bounced':
      return 'bounced';
    case 'email.failed':
      return data.failure_type === 'temporary' ? 'delivery_delayed' : 'failed';
    default:
      return null;
  }
}

class Comparison {
  readonly result: FullReconciliation = {
    differences: Object.fromEntries(DIFFERENCE_KINDS.map((kind) => [kind, new Differences()])) as Record<
      DifferenceKind,
      Differences
    >,
    deliveriesRepeated: [],
    deferralsRepeated: [],
    webhooksRepeated: [],
    unansweredAttempts: new Map(),
  };
  private readonly indexes = new Map<string, number>();
  private readonly statuses: string[];
  /** Time of the last arrival by recipient. */
  private readonly arrived = new Map<string, number>();
  /** Time of the temporary failure by recipient. */
  private readonly deferred = new Map<string, number>();
  /** Number of events by message and counter. */
  private readonly events = new Map<Statistic, Uint16Array>();
  /** Time of the last webhook request by event id; 0 for none. */
  private readonly requested = new Map<string, number>();
  /** Messages with a temporary failure without a reply. */
  private readonly unanswered = new Set<number>();
  private readonly countedEvents: Record<Statistic, number>;

  constructor(private readonly sent: Sent) {
    this.statuses = Array<string>(sent.messages).fill('');
    for (const name of STATISTICS) this.events.set(name, new Uint16Array(sent.messages));
    this.countedEvents = Object.fromEntries(STATISTICS.map((name) => [name, 0])) as Record<Statistic, number>;
  }

  private get differences(): Record<DifferenceKind, Differences> {
    return this.result.differences;
  }

  addEmail({ id, status, subject, to }: ListedEmail): void {
    const { differences, sent } = this;
    const index = indexOfSubject(subject);
    const isSent = index !== null && (sent.acknowledged.has(index) || sent.unanswered.has(index));
    if (!isSent || plannedMessage(index).recipients.join() !== to.join())
      return differences.phantom.add(`${id} ${subject} to ${to.join()}`);
    if (this.statuses[index] !== '') return differences.acceptedTwice.add(`${id} ${subject}`);
    const acknowledged = sent.acknowledged.get(index);
    if (acknowledged !== undefined && acknowledged !== id)
      return differences.phantom.add(`${id} ${subject} is acknowledged as ${acknowledged}`);
    this.statuses[index] = status;
    this.indexes.set(id, index);
  }

  addArrival({ recipient, at }: Arrival): void {
    const index = indexOfRecipient(recipient);
    if (index === null || isRefused(plannedMessage(index).outcome))
      this.differences.phantom.add(`arrival of ${recipient}`);
    const previousAt = this.arrived.get(recipient);
    if (previousAt !== undefined) this.result.deliveriesRepeated.push({ key: recipient, previousAt, at });
    this.arrived.set(recipient, at);
  }

  addDeferral({ recipient, at }: Deferral): void {
    this.deferred.set(recipient, at);
  }

  compareMessages(): void {
    const { differences, sent, statuses } = this;
    for (let index = 0; index < sent.messages; index += 1) {
      const { subject, outcome, recipients } = plannedMessage(index);
      if (statuses[index] === '') {
        if (sent.acknowledged.has(index)) differences.lost.add(`${subject} is not in the service`);
        if (recipients.some((one) => this.arrived.has(one)))
          differences.phantom.add(`arrival of ${subject}, not accepted`);
        continue;
      }
      const expected = isRefused(outcome) ? 'bounced' : 'delivered';
      if (statuses[index] !== expected) differences.wrongStatus.add(`${subject} (${outcome}) is ${statuses[index]}`);
      const missing = isRefused(outcome) ? [] : recipients.filter((one) => !this.arrived.has(one));
      if (missing.length > 0) differences.lost.add(`${missing.join()} (${statuses[index]})`);
    }
  }

  addEvent(event: ListedEvent): void {
    const { id, type, data } = event;
    if (!type.startsWith('email.')) return;
    this.requested.set(id, 0);
    const index = this.indexes.get(data.email_id ?? '');
    if (index === undefined) return this.differences.wrongEvents.add(`${id} ${type} of an unknown message`);
    const counter = statisticOf(event);
    if (counter === null) return;
    this.countedEvents[counter] += 1;
    if (counter === 'delivery_delayed' && typeof data.smtp_code !== 'number') return this.addUnanswered(index, data);
    (this.events.get(counter) as Uint16Array)[index] += 1;
  }

  /** Only the first temporary failure of a recipient has an event, so a deferral after this one has none. */
  private addUnanswered(index: number, { reason = '' }: ListedEvent['data']): void {
    const { unansweredAttempts } = this.result;
    unansweredAttempts.set(reason, (unansweredAttempts.get(reason) ?? 0) + 1);
    this.unanswered.add(index);
  }

  compareEvents(): void {
    for (const index of this.indexes.values()) {
      const { subject, outcome, recipients } = plannedMessage(index);
      const each = recipients.length;
      const refused = isRefused(outcome);
      const expected: Record<Statistic, number> = {
        accepted: each,
        sent: each,
        delivered: refused ? 0 : each,
        bounced: refused ? each : 0,
        delivery_delayed: isDeferred(outcome) && !this.unanswered.has(index) && !this.isForgotten(index) ? each : 0,
        failed: 0,
      };
      const wrong = STATISTICS.filter((name) => this.events.get(name)?.[index] !== expected[name]);
      const list = wrong.map((name) => `${name} ${this.events.get(name)?.[index]} instead of ${expected[name]}`);
      if (wrong.length > 0) this.differences.wrongEvents.add(`${subject} (${outcome}): ${list.join(', ')}`);
    }
  }

  /** True if the only attempt that was deferred was never committed; the next one was accepted. */
  private isForgotten(index: number): boolean {
    const [recipient] = plannedMessage(index).recipients;
    const [previousAt, at] = [this.deferred.get(recipient), this.arrived.get(recipient)];
    if (this.events.get('delivery_delayed')?.[index] !== 0 || previousAt === undefined || at === undefined)
      return false;
    this.result.deferralsRepeated.push({ key: recipient, previousAt, at });
    return true;
  }

  addWebhook({ id, at }: WebhookRequest): void {
    const previousAt = this.requested.get(id);
    if (previousAt === undefined) return this.differences.webhooksUnknown.add(id);
    if (previousAt > 0) this.result.webhooksRepeated.push({ key: id, previousAt, at });
    this.requested.set(id, at);
  }

  compareWebhooks(): void {
    for (const [id, at] of this.requested) if (at === 0) this.differences.webhooksMissing.add(id);
  }

  compareStatistics(totals: Record<string, number>): void {
    for (const name of STATISTICS)
      if (totals[name] !== this.countedEvents[name])
        this.differences.wrongStatistics.add(`${name} is ${totals[name]}, events ${this.countedEvents[name]}`);
  }
}
