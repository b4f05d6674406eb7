import { LocalDns } from './local-dns.js';
import { mail } from './mail.js';
import { startStandalone, type RunningProgram } from './program.js';
import { ScriptedMx, type MxAction } from './scripted-mx.js';
import { until } from './until.js';
import { WebhookReceiver } from './webhook-receiver.js';

/** What a recipient's server does; the name is the beginning of the address. */
export const KINDS = ['refuses', 'greylists', 'asks', 'cuts', 'resets', 'falls-silent'] as const;
export type Kind = (typeof KINDS)[number];

export interface LadderPlan {
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

export interface LadderAttempt {
  number: number;
  outcome: string;
  certainty: string | null;
  started_at: string;
  ended_at: string;
  smtp: { code: number | null; text: string } | null;
}

export interface LadderMail {
  id: string;
  kind: Kind;
  address: string;
  /** Oldest first. */
  attempts: LadderAttempt[];
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
const DOMAIN = 'ladder.test';
const DOT_LIMIT = '1s';

/** The program in front of a server that is bad in a few ways, with its retries compressed in time. */
export class LadderStage {
  readonly mails: LadderMail[] = [];
  readonly #seen = new Map<string, number>();

  private constructor(
    readonly plan: LadderPlan,
    readonly program: RunningProgram,
    readonly mx: ScriptedMx,
    readonly receiver: WebhookReceiver,
    private readonly dns: LocalDns,
  ) {
    mx.script = { on: { rcpt: ({ line }) => this.#onRcpt(line), dot: ({ accepted }) => this.#onDot(accepted[0]) } };
  }

  static async start(plan: LadderPlan): Promise<LadderStage> {
    const exchange = { MX: [{ preference: 10, exchange: `mx.${DOMAIN}` }] };
    const names = addressesOf(plan).map(({ address }) => [address.slice(address.indexOf('@') + 1), exchange] as const);
    const [mx, receiver, dns] = await Promise.all([
      ScriptedMx.start(),
      WebhookReceiver.start(),
      LocalDns.start({ ...Object.fromEntries(names), [`mx.${DOMAIN}`]: { A: ['127.0.0.1'] } }),
    ]);
    const program = await startStandalone({
      DELIVERY_MODE: 'mx',
      MX_PORT: String(mx.port),
      ALLOW_PRIVATE_MX: 'true',
      DNS_SERVERS: `127.0.0.1:${dns.port}`,
      DELIVERY_RETRY_SCHEDULE: plan.stepsMs.map((ms) => `${ms / 1000}s`).join(','),
      DELIVERY_LIFETIME: `${plan.lifetimeMs / 1000}s`,
      SMTP_OUT_TIMEOUTS: `dot=${DOT_LIMIT}`,
    });
    return new LadderStage(plan, program, mx, receiver, dns);
  }

  async close(): Promise<void> {
    await this.program.stop();
    await Promise.all([this.mx.close(), this.receiver.close(), this.dns.close()]);
    this.program.clean();
  }

  /** Sends all mails of the plan; with an endpoint that hears of every end. */
  async send(over: Record<string, unknown> = {}): Promise<void> {
    const events = ['email.delivered', 'email.bounced', 'email.failed'];
    await this.program.call('POST', '/webhooks', { url: this.receiver.url(PATH), events });
    const wanted = addressesOf(this.plan);
    for (let at = 0; at < wanted.length; at += BATCH) {
      const part = wanted.slice(at, at + BATCH);
      const answer = await this.program.call(
        'POST',
        '/emails/batch',
        part.map(({ address }) => mail({ to: address, ...over })),
      );
      const made = (await answer.json()) as { id: string }[];
      if (answer.status !== 201) throw new Error(JSON.stringify(made));
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
        const page = await this.#events(cursor);
        for (const event of page) {
          cursor = event.id;
          if (isFinal(event)) open.delete(event.data.email_id);
        }
        return open.size === 0;
      },
      { withinMs, everyMs: 100, what: `the end of all ${this.mails.length} mails` },
    );
    await this.#readAttempts();
  }

  async finalEvents(): Promise<ShownEvent[]> {
    const all: ShownEvent[] = [];
    for (let cursor: string | null = null; ;) {
      const page: ShownEvent[] = await this.#events(cursor);
      if (page.length === 0) return all.filter(isFinal);
      all.push(...page);
      cursor = page[page.length - 1].id;
    }
  }

  /** Final events that the webhook endpoint got, each once by its id. */
  async finalCalls(count: number): Promise<ShownEvent[]> {
    const read = () => {
      const byId = new Map<string, ShownEvent>();
      for (const { headers, body } of this.receiver.callsTo(PATH)) {
        const id = String(headers['webhook-id']);
        byId.set(id, { ...(JSON.parse(body) as ShownEvent), id });
      }
      return [...byId.values()].filter(isFinal);
    };
    await until(async () => read().length >= count, {
      withinMs: 20_000,
      what: `${count} final events at the endpoint`,
    });
    return read();
  }

  intervals(): Interval[] {
    return this.mails.flatMap((one) => {
      const { attempts, expiresAt, kind } = one;
      return attempts.slice(1).map((attempt, i) => {
        const ended = Date.parse(attempts[i].ended_at);
        const step = this.plan.stepsMs[Math.min(i, this.plan.stepsMs.length - 1)];
        const asked = kind === 'asks' ? this.plan.askedSeconds * 1000 : 0;
        const expectedMs = Math.max(step, asked);
        const last = kind === 'refuses' && i === attempts.length - 2;
        const ms = Date.parse(attempt.started_at) - ended;
        return {
          kind,
          number: i + 1,
          ms,
          expectedMs: last ? Math.min(expectedMs, expiresAt - ended) : expectedMs,
          last,
        };
      });
    });
  }

  /** A counter of `/metrics`. */
  async attemptsBy(outcome: string): Promise<number> {
    const text = await (await fetch(`${this.program.url}/metrics`)).text();
    const lines = text.matchAll(new RegExp(`^postloft_attempts_total\\{outcome="${outcome}",[^}]*\\} (\\d+)`, 'gm'));
    return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  /** How often the server took a mail of this recipient, answered or not. */
  copies(address: string): number {
    return this.mx.mails.filter(({ recipients }) => recipients.includes(address)).length;
  }

  async #events(after: string | null): Promise<ShownEvent[]> {
    const query = `limit=100&type=email.delivered,email.bounced,email.failed${after === null ? '' : `&after=${after}`}`;
    const answer = await this.program.call('GET', `/events?${query}`);
    return ((await answer.json()) as { data: ShownEvent[] }).data;
  }

  async #readAttempts(): Promise<void> {
    for (const one of this.mails) {
      const answer = await this.program.call('GET', `/emails/${one.id}/attempts?limit=100`);
      one.attempts = ((await answer.json()) as { data: LadderAttempt[] }).data.reverse();
      const shown = await this.program.call('GET', `/emails/${one.id}`);
      one.expiresAt = Date.parse(((await shown.json()) as { created_at: string }).created_at) + this.plan.lifetimeMs;
    }
  }

  #onRcpt(line: string): MxAction | undefined {
    if (line.includes('.refuses.')) return '451 4.3.0 Not now, and not later';
    const first = this.#count(line) === 1;
    if (first && line.includes('.greylists.')) return '451 4.7.1 Greylisted, please come back';
    if (first && line.includes('.asks.'))
      return `451-4.7.1 We do not know you yet.\r\n451 4.7.1 Try again in ${this.plan.askedSeconds} seconds`;
    return undefined;
  }

  #onDot(address: string): MxAction | undefined {
    const how = { cuts: 'close', resets: 'reset', 'falls-silent': 'silence' } as const;
    const kind = /@\d+\.([a-z-]+)/.exec(address)?.[1] as Kind;
    if (!(kind in how) || this.#count(`dot ${address}`) > this.plan.cuts) return undefined;
    return how[kind as keyof typeof how];
  }

  #count(what: string): number {
    const count = (this.#seen.get(what) ?? 0) + 1;
    this.#seen.set(what, count);
    return count;
  }
}

/** A destination in trouble gets few mails at once, as it should: the mails are spread over many, silent ones over more. */
function addressesOf({ mails }: LadderPlan): { kind: Kind; address: string }[] {
  return KINDS.flatMap((kind) =>
    Array.from({ length: mails[kind] }, (_, i) => {
      const domain = kind === 'falls-silent' ? i : i % DOMAINS;
      return { kind, address: `m${i}@${domain}.${kind}.${DOMAIN}` };
    }),
  );
}

const isFinal = ({ type, data }: ShownEvent): boolean => type !== 'email.failed' || data.failure_type === 'final';
