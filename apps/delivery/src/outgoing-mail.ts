import { Injectable } from '@nestjs/common';
import {
  CapturedMail,
  EmailLedger,
  MailMessage,
  OutgoingEnvelope,
  OutgoingTls,
  SharedShaping,
  type DeliveryJob,
  type StoredContent,
} from '#libs/emails';
import { Config, Log, Shutdown } from '#libs/kernel';
import {
  createCourier,
  MailboxProviders,
  type Courier,
  type CourierJob,
  type Destination,
  type Outcome,
  type SourceAddress,
} from '#libs/mta';

const STOP_MS = 7_000;

/** What the dispatcher decides about one job. */
export interface Handling {
  source: SourceAddress | null;
  /** Asked before each MAIL. */
  mayStart: () => boolean | Promise<boolean>;
}

/** From the ledger's job to the courier's: envelope and bytes. */
@Injectable()
export class OutgoingMail {
  private readonly world: Courier;
  /** What is simulated never leaves the house, whatever the delivery mode is. */
  private readonly inbox: Courier;

  constructor(
    private readonly ledger: EmailLedger,
    private readonly message: MailMessage,
    private readonly envelope: OutgoingEnvelope,
    private readonly captured: CapturedMail,
    tls: OutgoingTls,
    { plan }: SharedShaping,
    config: Config,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    const s = config.settings;
    const options = {
      capture: (mail: { id: string; mailFrom: string; recipients: string[]; content: Buffer }) => this.capture(mail),
      smarthostUrl: s.SMARTHOST_URL,
      mxPort: s.MX_PORT,
      dnsServers: s.DNS_SERVERS ?? [],
      allowPrivateMx: s.ALLOW_PRIVATE_MX,
      connectionsPerHost: s.CONNECTIONS_PER_HOST,
      heloName: `smtp.${s.SERVICE_DOMAIN}`,
      timeouts: s.SMTP_OUT_TIMEOUTS,
      ownAddresses: [s.SMTP_PORT, s.SMTPS_PORT, s.INBOUND_SMTP_PORT].map((port) => ({ address: s.SMTP_HOST, port })),
      log: (event: object) => log.debug('courier', event),
      onOutage: (text: string | null) =>
        text === null
          ? log.info('delivery: DNS answers again')
          : log.warn('delivery: mail waits for DNS', { reason: text }),
      providers: new MailboxProviders(plan),
    };
    this.world = createCourier({ ...options, ...tls.options(), mode: s.DELIVERY_MODE });
    this.inbox = s.DELIVERY_MODE === 'capture' ? this.world : createCourier({ ...options, mode: 'capture' });
    shutdown.on('work', 'courier', () => this.world.close(STOP_MS));
  }

  /** Never rejects; null: none of our name servers answers. */
  destination(domain: string): Promise<Destination | null> {
    return this.world.destination(domain);
  }

  /** A sentence, while none of our name servers answers; else null. */
  outage(): string | null {
    return this.world.outage;
  }

  /** One outcome per recipient; never throws. */
  async send(job: DeliveryJob, how: Handling): Promise<Outcome[]> {
    try {
      return await this.world.deliver(await this.courierJob(job, how));
    } catch (error) {
      return this.notBegun(job, error as Error);
    }
  }

  /** Into the captured inbox instead; never throws. */
  async keep(job: DeliveryJob): Promise<Outcome[]> {
    try {
      const how = { source: null, mayStart: () => this.ledger.holds(job) };
      return await this.inbox.deliver(await this.courierJob(job, how));
    } catch (error) {
      return this.notBegun(job, error as Error);
    }
  }

  /** The database is away: nothing may go out under a weaker rule than the domain has. */
  private notBegun(job: DeliveryJob, { message: reason }: Error): Outcome[] {
    this.log.warn('delivery: not begun', { email: job.mail.id, reason });
    const now = new Date();
    return job.recipients.map(({ ordinal }) => ({
      key: String(ordinal),
      kind: 'abandoned',
      startedAt: now,
      endedAt: now,
    }));
  }

  private async courierJob(job: DeliveryJob, { source, mayStart }: Handling): Promise<CourierJob> {
    const { mailFrom, tls } = await this.envelope.of(job);
    return {
      id: job.mail.id,
      mailFrom,
      recipients: job.recipients.map((recipient) => ({ key: String(recipient.ordinal), address: recipient.address })),
      content: () => this.content(job),
      sevenBit: async () => this.message.sevenBit(job, await this.stored(job)),
      mayStart,
      tls,
      source,
    };
  }

  /** What came by the hand-off has its body with it. */
  private async content(job: DeliveryJob): Promise<Buffer[]> {
    return await this.message.bytes(job, job.content ?? (await this.stored(job)));
  }

  private async stored(job: DeliveryJob): Promise<StoredContent> {
    const content = await this.ledger.content(job);
    if (!content) throw new Error('the body of this mail is no longer stored');
    return content;
  }

  private capture(mail: { id: string; mailFrom: string; recipients: string[]; content: Buffer }): Promise<void> {
    return this.captured.store({
      emailId: mail.id,
      mailFrom: mail.mailFrom,
      rcptTo: mail.recipients,
      content: mail.content,
    });
  }
}
