import { Injectable } from '@nestjs/common';
import { CapturedMessages, MessageBuilder, EnvelopeBuilder, type DeliveryJob, type StoredContent } from '#libs/emails';
import { Config, Log, Shutdown, databaseClock } from '#libs/kernel';
import {
  createCourier,
  MailboxProviders,
  type Courier,
  type Destination,
  type Envelope,
  type Outcome,
  type OutgoingMessage,
  type SourceAddress,
} from '#libs/mta';
import { SharedThrottling } from '../throttling/shared-throttling.js';
import { OutgoingTls } from '../tls-policy/outgoing-tls.js';
import { Queue } from '../queue.js';
import { TlsResults } from '#libs/tls-reports';

const STOP_MS = 7_000;

export interface AttemptOptions {
  source: SourceAddress | null;
  /** Called before each MAIL. */
  permit: OutgoingMessage['permit'];
}

/** Turns delivery jobs into calls of the courier: envelope and message bytes. */
@Injectable()
export class CourierAdapter {
  private readonly courier: Courier;
  /** The courier of simulated messages, which are captured in every delivery mode. */
  private readonly inbox: Courier;

  constructor(
    private readonly queue: Queue,
    private readonly messages: MessageBuilder,
    private readonly envelopes: EnvelopeBuilder,
    private readonly captured: CapturedMessages,
    private readonly tlsResults: TlsResults,
    tls: OutgoingTls,
    { plan }: SharedThrottling,
    config: Config,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    const s = config.settings;
    const options = {
      capture: (email: { id: string; mailFrom: string; recipients: string[]; content: Buffer }) => this.store(email),
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
    this.courier = createCourier({ ...options, ...tls.options(), mode: s.DELIVERY_MODE });
    this.inbox = s.DELIVERY_MODE === 'capture' ? this.courier : createCourier({ ...options, mode: 'capture' });
    shutdown.on('work', 'courier', () => this.courier.close(STOP_MS));
  }

  /** Never rejects; null: no name server answers. */
  destination(domain: string): Promise<Destination | null> {
    return this.courier.destination(domain);
  }

  /** A sentence while no name server answers; else null. */
  outage(): string | null {
    return this.courier.outage;
  }

  /** Makes one attempt; never throws. */
  async send(job: DeliveryJob, { source, permit }: AttemptOptions): Promise<Outcome[]> {
    try {
      const { mailFrom, tls } = await this.envelopes.build(job);
      const route = await this.courier.resolve(job.domain);
      const envelope = { mailFrom, recipients: recipientsOf(job), tls, source };
      const { outcomes, tlsResults } = await this.courier.deliver(route, envelope, this.messageOf(job, permit));
      for (const result of tlsResults) this.tlsResults.add(result, databaseClock.date());
      return outcomes;
    } catch (error) {
      return this.notStarted(job, error as Error);
    }
  }

  /** Stores the message in the capture inbox instead; never throws. */
  async capture(job: DeliveryJob): Promise<Outcome[]> {
    try {
      const { mailFrom } = await this.envelopes.build(job);
      const envelope = { mailFrom, recipients: recipientsOf(job), tls: 'opportunistic', source: null } as const;
      const message = this.messageOf(job, () => this.queue.isClaimValid(job));
      const route = await this.inbox.resolve(job.domain);
      return (await this.inbox.deliver(route, envelope, message)).outcomes;
    } catch (error) {
      return this.notStarted(job, error as Error);
    }
  }

  /** The envelope could not be read: without the TLS policy of the domain nothing may be sent. */
  private notStarted(job: DeliveryJob, { message: reason }: Error): Outcome[] {
    this.log.warn('delivery: not started', { email: job.email.id, reason });
    const now = databaseClock.date();
    return recipientsOf(job).map(({ key }) => ({ key, kind: 'abandoned', startedAt: now, endedAt: now }));
  }

  private messageOf(job: DeliveryJob, permit: OutgoingMessage['permit']): OutgoingMessage {
    return {
      id: job.email.id,
      permit,
      // A job of local delivery brings its content along.
      content: async () => this.messages.build(job, job.content ?? (await this.stored(job))),
      sevenBit: async () => this.messages.sevenBit(job, await this.stored(job)),
    };
  }

  private async stored(job: DeliveryJob): Promise<StoredContent> {
    const content = await this.queue.content(job);
    if (!content) throw new Error('the content of this message is no longer stored');
    return content;
  }

  private store(email: { id: string; mailFrom: string; recipients: string[]; content: Buffer }): Promise<void> {
    return this.captured.store({
      emailId: email.id,
      mailFrom: email.mailFrom,
      rcptTo: email.recipients,
      content: email.content,
    });
  }
}

const recipientsOf = ({ recipients }: DeliveryJob): Envelope['recipients'] =>
  recipients.map(({ ordinal, address }) => ({ key: String(ordinal), address }));
