import { mail } from '../../support/samples/mail.js';
import type { RunningProgram } from '../../support/services/program.js';
import { ONE_CONNECTION, relayClient } from '../../support/services/relay-client.js';
import { BATCH, channelOf, plannedMessage, UNIT, unitChannel } from './message-plan.js';

const REST_CLIENTS = 4;
const SMTP_CLIENTS = 2;
const FROM = 'orders@sandbox.postloft.test';
const RETRY_MS = 250;
const ANSWER_MS = 30_000;
/** Sent messages without an outcome, above which clients pause: then kills hit all stages of the path at once. */
const BACKLOG = 2_000;
const PAUSE_MS = 20;

interface ClientOptions {
  messages: number;
  /** Recipients that have an outcome, as the recorder counts them. */
  outcomes: () => number;
}

/** Clients that send all messages of the plan and repeat what was not answered, and what they were answered. */
export class SendingClients {
  /** Id by index of the message. */
  readonly acknowledged = new Map<number, string>();
  /** Messages that were sent once without an answer. */
  readonly unanswered = new Set<number>();
  /** Requests and transactions that were repeated. */
  repeated = 0;
  /** Set by `stop`, when the service does not come back. */
  private isStopped = false;
  private readonly units: Record<'rest' | 'smtp', number[]>;

  constructor(
    private readonly program: RunningProgram,
    private readonly options: ClientOptions,
  ) {
    const all = Array.from({ length: Math.ceil(options.messages / UNIT) }, (_, unit) => unit);
    this.units = {
      rest: all.filter((unit) => unitChannel(unit) !== 'smtp'),
      smtp: all.filter((unit) => unitChannel(unit) === 'smtp'),
    };
  }

  get finished(): number {
    return this.acknowledged.size + this.unanswered.size;
  }

  async sendAll(): Promise<void> {
    const rest = Array.from({ length: REST_CLIENTS }, () => this.work('rest', (indexes) => this.sendByRest(indexes)));
    const smtp = Array.from({ length: SMTP_CLIENTS }, () => this.work('smtp', (indexes) => this.sendBySmtp(indexes)));
    await Promise.all([...rest, ...smtp]);
  }

  stop(): void {
    this.isStopped = true;
  }

  private async work(kind: 'rest' | 'smtp', send: (indexes: number[]) => Promise<void>): Promise<void> {
    for (let unit = this.units[kind].shift(); unit !== undefined && !this.isStopped; unit = this.units[kind].shift()) {
      const from = unit * UNIT;
      const count = Math.min(UNIT, this.options.messages - from);
      await send(Array.from({ length: count }, (_, i) => from + i));
    }
  }

  private async pause(): Promise<void> {
    while (this.finished - this.options.outcomes() > BACKLOG && !this.isStopped) await sleep(PAUSE_MS);
  }

  private async sendByRest(indexes: number[]): Promise<void> {
    if (channelOf(indexes[0]) === 'batch') {
      for (let at = 0; at < indexes.length; at += BATCH) await this.sendBatch(indexes.slice(at, at + BATCH));
      return;
    }
    for (const index of indexes) {
      await this.pause();
      if (channelOf(index) === 'once') await this.sendOnce(index);
      else {
        const { id } = await this.post<{ id: string }>('/emails', bodyOf(index), `single-${index}`);
        this.acknowledged.set(index, id);
      }
    }
  }

  private async sendBatch(indexes: number[]): Promise<void> {
    await this.pause();
    const accepted = await this.post<{ id: string }[]>('/emails/batch', indexes.map(bodyOf), `batch-${indexes[0]}`);
    for (const [i, index] of indexes.entries()) this.acknowledged.set(index, accepted[i].id);
  }

  private async sendOnce(index: number): Promise<void> {
    const response = await this.request('/emails', bodyOf(index), {});
    if (response?.status === 201) this.acknowledged.set(index, (response.body as { id: string }).id);
    else this.unanswered.add(index);
  }

  /** Until it is answered; the key makes repetitions harmless. */
  private async post<T>(path: string, body: unknown, key: string): Promise<T> {
    for (;;) {
      const response = await this.request(path, body, { 'idempotency-key': key });
      if (response?.status === 201) return response.body as T;
      const isTemporary = response === null || response.status >= 500 || response.status === 409;
      if (!isTemporary || this.isStopped) throw new Error(`${path} ${key}: ${JSON.stringify(response)}`);
      this.repeated += 1;
      await sleep(RETRY_MS);
    }
  }

  /** Null if there is no answer. */
  private async request(
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<{ status: number; body: unknown } | null> {
    try {
      const response = await fetch(`${this.program.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.program.key}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      return { status: response.status, body: await response.json() };
    } catch {
      return null;
    }
  }

  private async sendBySmtp(indexes: number[]): Promise<void> {
    let transport = this.connect();
    for (const index of indexes) {
      await this.pause();
      for (let id: string | null = null; id === null;) {
        id = await sendOver(transport, index);
        if (id === SUPPRESSED) this.unanswered.add(index);
        else if (id !== null) this.acknowledged.set(index, id);
        else {
          if (this.isStopped) throw new Error(`message ${index} was not accepted over SMTP`);
          this.repeated += 1;
          transport.close();
          await sleep(RETRY_MS);
          transport = this.connect();
        }
      }
    }
    transport.close();
  }

  private connect(): ReturnType<typeof relayClient> {
    const { ports, key } = this.program;
    const plain = { port: ports.smtp, secure: false, socketTimeout: ANSWER_MS };
    return relayClient({ ports, from: FROM, key }, { ...ONE_CONNECTION, ...plain });
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function bodyOf(index: number): Record<string, unknown> {
  const { subject, recipients } = plannedMessage(index);
  return mail({ from: FROM, to: recipients, subject, html: undefined });
}

/** The first copy was accepted and bounced in the meantime, so its recipient is refused. */
const SUPPRESSED = 'suppressed';

/** The id in the reply to the final dot; null if there is none. */
async function sendOver(transport: ReturnType<typeof relayClient>, index: number): Promise<string | null> {
  const { outcome, subject, recipients } = plannedMessage(index);
  const headers = { 'X-Service-Idempotency-Key': `smtp-${index}` };
  try {
    const { response } = await transport.sendMail({ from: FROM, to: recipients, subject, text: 'Thank you.', headers });
    return /queued as (em_\w+)/.exec(response)?.[1] ?? null;
  } catch (error) {
    const { responseCode = 0 } = error as { responseCode?: number };
    if (responseCode < 500) return null;
    if (outcome === 'unknown') return SUPPRESSED;
    throw error;
  }
}
