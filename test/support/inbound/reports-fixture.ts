import { createTransport } from 'nodemailer';
import { cli } from '../services/cli.js';
import type { SentMail } from '../samples/golden-reports.js';
import { publish, type LocalDns } from '../dns/local-dns.js';
import type { MxScript, ReceivedMail, ScriptedMx } from '../mail-servers/scripted-mx.js';
import { MailNetwork } from '../services/mail-network.js';
import type { ServiceAccount } from '../services/service-client.js';
import { until } from '../timing/until.js';

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
  note: string | null;
  remote_ip: string;
  helo: string;
  reported: string[];
  email_id: string | null;
}

export interface ShownEvent {
  type: string;
  data: { recipient: string; bounce_class?: string; bounce_type?: string; feedback_type?: string };
}

interface Domain {
  id: string;
  status: string;
  records: { type: string; name: string; value: string; status: string }[];
}

interface ShownMail {
  status: string;
  message_id: string;
  recipients: { address: string; status: string }[];
}

const TRACE = /^X-Postloft-Ref: *(\S+)\r$/m;

/** Where the domains of a file are; each has its own zone. */
export interface InboundNames {
  /** Everybody at this domain receives at `mx`. */
  recipients: string;
  /** Where servers that report live; should anything ever be sent back to them, it would arrive at `echo`. */
  reporters: string;
  /** Zones of sending domains. */
  senders: string[];
}

/** A service between the recipients' server, to which it delivers, and the port where reports come in. */
export class ReportsFixture {
  private readonly transports: ReturnType<typeof connectTo>[];
  private reports = 0;

  private constructor(
    private readonly network: MailNetwork<ServiceAccount>,
    readonly names: InboundNames,
    /** The server of all recipients. */
    readonly mx: ScriptedMx,
    /** Of the reporters: nothing must ever come here. */
    readonly echo: ScriptedMx,
  ) {
    this.transports = Array.from({ length: REPORTING_SERVERS }, () =>
      connectTo(network.sender.ports.inbound, { from: network.nextAddress(), name: `mx.${names.reporters}` }),
    );
  }

  /** On the shared service `inbound`. */
  static async open(names: InboundNames, script: MxScript = {}): Promise<ReportsFixture> {
    const network = await MailNetwork.open('inbound', [names.recipients, names.reporters, ...names.senders]);
    const mx = await network.mailServer(names.recipients, script);
    return new ReportsFixture(network, names, mx, await network.mailServer(names.reporters));
  }

  get account(): ServiceAccount {
    return this.network.sender;
  }

  get dns(): LocalDns {
    return this.network.dns;
  }

  async stop(): Promise<void> {
    for (const transport of this.transports) transport.close();
    await this.network.close();
  }

  /** Adds a domain, publishes all its records and waits until they are seen; resolves with its id. */
  async verified(name: string): Promise<string> {
    const { id, records } = await this.account.json<Domain>('POST', '/domains', { name });
    publish(this.dns, records);
    await until(
      async () => {
        const shown = await this.account.json<Domain>('GET', `/domains/${id}`);
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
    const body = this.account.mail({ to, ...over });
    const { id } = await this.account.json<{ id: string }>('POST', '/emails', body, as);
    const taken = await until(async () => this.mx.mails.find(({ recipients }) => recipients.includes(to)), {
      what: `the mail to ${to}`,
    });
    const trace = TRACE.exec(taken.content.toString('latin1'))?.[1] ?? '';
    const { message_id: messageId } = await this.read(id, as);
    return { id, mail: taken, returnPath: taken.mailFrom, trace, messageId, recipient: to };
  }

  /** Hands a message in as another server, each time from the next address; rejects with its reply when that is no 250. */
  async report(message: Buffer | string, to: string | string[], from = ''): Promise<string> {
    const transport = this.transports[this.reports++ % this.transports.length];
    const { response } = (await transport.sendMail({ envelope: { from, to }, raw: message })) as { response: string };
    return response;
  }

  /** `as`: headers with the key of another account than the first. */
  read(id: string, as?: Record<string, string>): Promise<ShownMail> {
    return this.account.json('GET', `/emails/${id}`, undefined, as);
  }

  async becomes(id: string, status: string, as?: Record<string, string>): Promise<void> {
    await until(async () => (await this.read(id, as)).status === status, { what: `${status} of ${id}` });
  }

  /** What happened to the mail, in order. */
  async events(id: string): Promise<ShownEvent[]> {
    return (await this.account.json<{ data: ShownEvent[] }>('GET', `/emails/${id}/events?limit=100`)).data;
  }

  async isSuppressed(address: string): Promise<boolean> {
    return (await this.account.call('GET', `/suppressions/${encodeURIComponent(address)}`)).status === 200;
  }

  /** The operator's inbox. */
  async kept(): Promise<Kept[]> {
    return JSON.parse(await cli(this.account.env, 'inbound', '--limit', '1000', '--json')) as Kept[];
  }
}

/** One client may hand in three hundred messages at once and five a second then. */
const REPORTING_SERVERS = 4;

function connectTo(port: number, { from, name }: { from: string; name: string }) {
  return createTransport({
    host: '127.0.0.1',
    port,
    localAddress: from,
    pool: true,
    maxConnections: 4,
    maxMessages: Infinity,
    name,
    tls: { rejectUnauthorized: false },
  });
}
