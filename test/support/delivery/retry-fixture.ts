import type { MxAction, ScriptedMx } from '../mail-servers/scripted-mx.js';
import { MailNetwork } from '../services/mail-network.js';
import type { Sender } from '../services/sender.js';
import { until } from '../timing/until.js';
import { WebhookReceiver } from '../webhooks/webhook-receiver.js';

/** What a recipient's server does; the name is the beginning of the address. */
export const KINDS = ['refuses', 'greylists', 'asks', 'cuts', 'resets', 'falls-silent'] as const;
export type Kind = (typeof KINDS)[number];

export interface RetryPlan {
  /** Milliseconds between the end of an attempt and the next one; the last repeats. */
  stepsMs: readonly number[];
  lifetimeMs: number;
  /** What `asks` says: try again in so many seconds. */
  askedSeconds: number;
  /** Mails per kind, one recipient each. */
  mails: Record<Kind, number>;
  /** How often an unanswered dot is the answer before the mail is taken. */
  cuts: number;
}

export interface RetryAttempt {
  number: number;
  outcome: string;
  certainty: string | null;
  started_at: string;
  ended_at: string;
  smtp: { code: number | null; text: string } | null;
}

export interface RetriedMail {
  id: string;
  kind: Kind;
  address: string;
  /** Oldest first. */
  attempts: RetryAttempt[];
  expiresAt: number;
}

/** One wait between two attempts of a mail, and how long it should have been, both in milliseconds. */
export interface Interval {
  kind: Kind;
  number: number;
  ms: number;
  expectedMs: number;
  /** The last attempt, which falls on the end of the lifetime: without jitter, so what is more is lateness. */
  last: boolean;
}

interface ShownEvent {
  id: string;
  type: string;
  data: { email_id: string; recipient: string; failure_type?: string; reason?: string };
}

const PATH = '/hook';
const BATCH = 100;
/** Domains per kind. */
const DOMAINS = 6;
const DOT_LIMIT = '1s';

/** The program in front of a server that is bad in a few ways, with its retries compressed in time. */
export class RetryFixture {
  readonly mails: RetriedMail[] = [];
  private readonly seen = new Map<string, number>();

  private constructor(
    readonly plan: RetryPlan,
    readonly network: MailNetwork,
    readonly mx: ScriptedMx,
    readonly receiver: WebhookReceiver,
    private readonly zone: string,
  ) {}

  /** On the shared service `delivery`, which has a retry schedule of its own; the plan must say the same. */
  static async open(plan: RetryPlan, zone: string): Promise<RetryFixture> {
    return RetryFixture.on(await MailNetwork.open('delivery', [zone]), plan, zone);
  }

  /** On a service of its own that has this plan. */
  static async start(plan: RetryPlan): Promise<RetryFixture> {
    const network = await MailNetwork.start({
      DELIVERY_RETRY_SCHEDULE: plan.stepsMs.map((ms) => `${ms / 1000}s`).join(','),
      DELIVERY_LIFETIME: `${plan.lifetimeMs / 1000}s`,
      SMTP_OUT_TIMEOUTS: `dot=${DOT_LIMIT}`,
    });
    return RetryFixture.on(network, plan, 'ladder.test');
  }

  private static async on(network: MailNetwork, plan: RetryPlan, zone: string): Promise<RetryFixture> {
    const address = network.nextAddress();
    const [mx, receiver] = await Promise.all([network.mailServerAt(address), WebhookReceiver.start()]);
    const fixture = new RetryFixture(plan, network, mx, receiver, zone);
    mx.script = {
      on: { rcpt: ({ line }) => fixture.onRcpt(line), dot: ({ accepted }) => fixture.onDot(accepted[0]) },
    };
    for (const { address: to } of fixture.addresses()) network.route(to.slice(to.indexOf('@') + 1), address);
    return fixture;
  }

  get sender(): Sender {
    return this.network.sender;
  }

  async close(): Promise<void> {
    await this.receiver.close();
    await this.network.close();
  }

  /** Sends all mails of the plan; with an endpoint that hears of every end. */
  async send(over: Record<string, unknown> = {}): Promise<void> {
    const events = ['email.delivered', 'email.bounced', 'email.failed'];
    await this.sender.json('POST', '/webhooks', { url: this.receiver.url(PATH), events });
    const wanted = this.addresses();
    for (let at = 0; at < wanted.length; at += BATCH) {
      const part = wanted.slice(at, at + BATCH);
      const bodies = part.map(({ address }) => this.sender.mail({ to: address, ...over }));
      const made = await this.sender.json<{ id: string }[]>('POST', '/emails/batch', bodies);
      for (const [i, one] of part.entries())
        this.mails.push({ ...one, id: made[i].id, attempts: [], expiresAt: Number.NaN });
    }
  }

  /** Resolves when every mail has ended; then reads all attempts. */
  async ended(withinMs: number): Promise<void> {
    const open = new Set(this.mails.map(({ id }) => id));
    let cursor: string | null = null;
    await until(
      async () => {
        const page = await this.events(cursor);
        for (const event of page) {
          cursor = event.id;
          if (isFinal(event)) open.delete(event.data.email_id);
        }
        return open.size === 0;
      },
      { withinMs, everyMs: 100, what: `the end of all ${this.mails.length} mails` },
    );
    await this.readAttempts();
  }

  async finalEvents(): Promise<ShownEvent[]> {
    const all: ShownEvent[] = [];
    for (let cursor: string | null = null; ;) {
      const page: ShownEvent[] = await this.events(cursor);
      if (page.length === 0) return all.filter(isFinal);
      all.push(...page);
      cursor = page[page.length - 1].id;
    }
  }

  /** Final events that the webhook endpoint got, each once by its id. */
  async finalCalls(count: number): Promise<ShownEvent[]> {
    const read = async () => {
      const calls = this.receiver.callsTo(PATH).map(({ headers, body }) => {
        const id = String(headers['webhook-id']);
        return [id, { ...(JSON.parse(body) as ShownEvent), id }] as const;
      });
      const final = [...new Map(calls).values()].filter(isFinal);
      return final.length >= count && final;
    };
    return until(read, { withinMs: 20_000, what: `${count} final events at the endpoint` });
  }

  intervals(): Interval[] {
    return this.mails.flatMap((one) => {
      const { attempts, expiresAt, kind } = one;
      return attempts.slice(1).map((attempt, i) => {
        const ended = Date.parse(attempts[i].ended_at);
        const step = this.plan.stepsMs[Math.min(i, this.plan.stepsMs.length - 1)];
        const asked = kind === 'asks' ? this.plan.askedSeconds * 1000 : 0;
        const last = kind === 'refuses' && i === attempts.length - 2;
        const expectedMs = Math.min(Math.max(step, asked), last ? expiresAt - ended : Infinity);
        return { kind, number: i + 1, ms: Date.parse(attempt.started_at) - ended, expectedMs, last };
      });
    });
  }

  /** A counter of `/metrics`. */
  async attemptsBy(outcome: string): Promise<number> {
    const text = await (await fetch(`${this.sender.url}/metrics`)).text();
    const lines = text.matchAll(new RegExp(`^postloft_attempts_total\\{outcome="${outcome}",[^}]*\\} (\\d+)`, 'gm'));
    return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  /** How often the server took a mail of this recipient, answered or not. */
  copies(address: string): number {
    return this.mx.mails.filter(({ recipients }) => recipients.includes(address)).length;
  }

  private async events(after: string | null): Promise<ShownEvent[]> {
    const query = `limit=100&type=email.delivered,email.bounced,email.failed${after === null ? '' : `&after=${after}`}`;
    return (await this.sender.json<{ data: ShownEvent[] }>('GET', `/events?${query}`)).data;
  }

  private async readAttempts(): Promise<void> {
    for (const one of this.mails) {
      const path = `/emails/${one.id}`;
      one.attempts = (
        await this.sender.json<{ data: RetryAttempt[] }>('GET', `${path}/attempts?limit=100`)
      ).data.reverse();
      const { created_at } = await this.sender.json<{ created_at: string }>('GET', path);
      one.expiresAt = Date.parse(created_at) + this.plan.lifetimeMs;
    }
  }

  /** A destination in trouble gets few mails at once, as it should: the mails are spread over many, silent ones over more. */
  private addresses(): { kind: Kind; address: string }[] {
    const { mails } = this.plan;
    return KINDS.flatMap((kind) =>
      Array.from({ length: mails[kind] }, (_, i) => {
        const domain = kind === 'falls-silent' ? i : i % DOMAINS;
        return { kind, address: `m${i}@${domain}.${kind}.${this.zone}` };
      }),
    );
  }

  private onRcpt(line: string): MxAction | undefined {
    if (line.includes('.refuses.')) return '451 4.3.0 Not now, and not later';
    const first = this.count(line) === 1;
    if (first && line.includes('.greylists.')) return '451 4.7.1 Greylisted, please come back';
    if (first && line.includes('.asks.'))
      return `451-4.7.1 We do not know you yet.\r\n451 4.7.1 Try again in ${this.plan.askedSeconds} seconds`;
    return undefined;
  }

  private onDot(address: string): MxAction | undefined {
    const how = { cuts: 'close', resets: 'reset', 'falls-silent': 'silence' } as const;
    const kind = /@\d+\.([a-z-]+)/.exec(address)?.[1] as Kind;
    if (!(kind in how) || this.count(`dot ${address}`) > this.plan.cuts) return undefined;
    return how[kind as keyof typeof how];
  }

  private count(what: string): number {
    const count = (this.seen.get(what) ?? 0) + 1;
    this.seen.set(what, count);
    return count;
  }
}

const isFinal = ({ type, data }: ShownEvent): boolean => type !== 'email.failed' || data.failure_type === 'final';
