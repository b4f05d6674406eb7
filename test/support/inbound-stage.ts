import { createTransport } from 'nodemailer';
import { cli } from './cli.js';
import type { SentMail } from './golden-reports.js';
import { LocalDns } from './local-dns.js';
import { mail } from './mail.js';
import { startStandalone, type RunningProgram } from './program.js';
import { ScriptedMx, type MxScript, type ReceivedMail } from './scripted-mx.js';
import { until } from './until.js';

/** A mail that our server of the recipients has taken, with what a report can say of it. */
export interface Delivered extends SentMail {
  id: string;
  mail: ReceivedMail;
}

/** What the operator's inbox shows of a message. */
export interface Kept {
  id: string;
  mail_from: string;
  rcpt_to: string[];
  subject: string | null;
  verdict: string;
  email_id: string | null;
}

export interface ShownEvent {
  type: string;
  data: { recipient: string; bounce_class?: string; bounce_type?: string; feedback_type?: string };
}

interface Domain {
  id: string;
  status: string;
  records: { type: 'TXT' | 'CNAME'; name: string; value: string; status: string }[];
}

interface ShownMail {
  status: string;
  message_id: string;
  recipients: { address: string; status: string }[];
}

/** Where servers that report live; should anything ever be sent back to them, it would arrive at `echo`. */
export const REPORTERS = 'reporters.test';
const TRACE = /^X-Postloft-Ref: *(\S+)\r$/m;

/** The started program between the recipients' server, to which it delivers, and its inbound door. */
export class InboundStage {
  private readonly door;

  private constructor(
    readonly program: RunningProgram,
    readonly dns: LocalDns,
    /** Everybody's at `recipients.test`. */
    readonly mx: ScriptedMx,
    /** Of the reporters: nothing must ever come here. */
    readonly echo: ScriptedMx,
  ) {
    this.door = createTransport({
      host: '127.0.0.1',
      port: program.ports.inbound,
      pool: true,
      maxConnections: 4,
      maxMessages: Infinity,
      name: `mx.${REPORTERS}`,
      tls: { rejectUnauthorized: false },
    });
  }

  static async start(env: Record<string, string> = {}, script: MxScript = {}): Promise<InboundStage> {
    const mx = await ScriptedMx.start(script);
    const echo = await ScriptedMx.start({ host: '127.0.0.2', port: mx.port });
    const dns = await LocalDns.start({
      'recipients.test': { MX: [{ preference: 10, exchange: 'mx.recipients.test' }] },
      'mx.recipients.test': { A: ['127.0.0.1'] },
      [REPORTERS]: { MX: [{ preference: 10, exchange: `mx.${REPORTERS}` }] },
      [`mx.${REPORTERS}`]: { A: ['127.0.0.2'] },
    });
    const program = await startStandalone({
      DELIVERY_MODE: 'mx',
      MX_PORT: String(mx.port),
      ALLOW_PRIVATE_MX: 'true',
      DNS_SERVERS: dns.address,
      ...env,
    });
    return new InboundStage(program, dns, mx, echo);
  }

  async stop(): Promise<void> {
    this.door.close();
    await this.program.stop();
    await this.mx.close();
    await this.echo.close();
    await this.dns.close();
    this.program.clean();
  }

  /** Adds a domain, publishes all its records and waits until they are seen; resolves with its id. */
  async verified(name: string): Promise<string> {
    const made = await this.program.call('POST', '/domains', { name });
    if (made.status !== 201) throw new Error(await made.text());
    const { id, records } = (await made.json()) as Domain;
    for (const { type, name: at, value } of records)
      this.dns.set(at, type === 'TXT' ? { TXT: [value] } : { CNAME: value });
    await until(
      async () => {
        const shown = (await (await this.program.call('GET', `/domains/${id}`)).json()) as Domain;
        return shown.status === 'active' && shown.records.every(({ status }) => status === 'verified');
      },
      { what: `all records of ${name}` },
    );
    return id;
  }

  /** Sends one mail; resolves when the recipients' server has taken it and that is written down. */
  async delivered(to: string, over: Record<string, unknown> = {}, as?: Record<string, string>): Promise<Delivered> {
    const sent = await this.sent(to, over, as);
    await this.becomes(sent.id, 'delivered', as);
    return sent;
  }

  /** As `delivered`, but resolves when the recipients' server has the mail. */
  async sent(to: string, over: Record<string, unknown> = {}, as?: Record<string, string>): Promise<Delivered> {
    const answer = await this.program.call('POST', '/emails', mail({ to, ...over }), as);
    if (answer.status !== 201) throw new Error(`refused: ${await answer.text()}`);
    const { id } = (await answer.json()) as { id: string };
    const taken = await until(async () => this.mx.mails.find(({ recipients }) => recipients.includes(to)), {
      what: `the mail to ${to}`,
    });
    const trace = TRACE.exec(taken.content.toString('latin1'))?.[1] ?? '';
    const { message_id: messageId } = await this.read(id, as);
    return { id, mail: taken, returnPath: taken.mailFrom, trace, messageId, recipient: to };
  }

  /** Hands a message in at the door, as another server; rejects with its reply when that is no 250. */
  async report(message: Buffer | string, to: string | string[], from = ''): Promise<string> {
    const { response } = (await this.door.sendMail({ envelope: { from, to }, raw: message })) as { response: string };
    return response;
  }

  /** `as`: headers with the key of another account than the first. */
  async read(id: string, as?: Record<string, string>): Promise<ShownMail> {
    return (await (await this.program.call('GET', `/emails/${id}`, undefined, as)).json()) as ShownMail;
  }

  async becomes(id: string, status: string, as?: Record<string, string>): Promise<void> {
    await until(async () => (await this.read(id, as)).status === status, { what: `${status} of ${id}` });
  }

  /** What happened to the mail, in order. */
  async events(id: string): Promise<ShownEvent[]> {
    return ((await (await this.program.call('GET', `/emails/${id}/events?limit=100`)).json()) as { data: ShownEvent[] })
      .data;
  }

  async isSuppressed(address: string): Promise<boolean> {
    return (await this.program.call('GET', `/suppressions/${encodeURIComponent(address)}`)).status === 200;
  }

  /** The operator's inbox. */
  async kept(): Promise<Kept[]> {
    return JSON.parse(await cli(this.program.env, 'inbound', '--limit', '1000', '--json')) as Kept[];
  }
}
