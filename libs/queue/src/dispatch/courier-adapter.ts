import { Injectable } from '@nestjs/common';
import { EnvelopeBuilder, MessageBuilder, type DeliveryJob } from '#libs/emails';
import { databaseClock, Log, tracing } from '#libs/kernel';
import type { Destination, Envelope, Outcome, OutgoingMessage, SourceAddress } from '#libs/mta';
import { TlsResults } from '#libs/tls-reports';
import { Queue } from '../queue.js';
import { Couriers } from './couriers.js';

export interface AttemptOptions {
  source: SourceAddress | null;
  /** Called before each MAIL. */
  permit: OutgoingMessage['permit'];
}

/** Turns delivery jobs into calls of the courier: envelope and message bytes. */
@Injectable()
export class CourierAdapter {
  constructor(
    private readonly queue: Queue,
    private readonly messages: MessageBuilder,
    private readonly envelopes: EnvelopeBuilder,
    private readonly tlsResults: TlsResults,
    private readonly couriers: Couriers,
    private readonly log: Log,
  ) {}

  /** Never rejects; null: no name server answers. */
  destination(domain: string): Promise<Destination | null> {
    return this.couriers.courier.destination(domain);
  }

  /** A sentence while no name server answers; else null. */
  outage(): string | null {
    return this.couriers.courier.outage;
  }

  /** Makes one attempt; never throws. */
  async send(job: DeliveryJob, { source, permit }: AttemptOptions): Promise<Outcome[]> {
    try {
      const { mailFrom, tls } = await this.envelopes.build(job);
      const { courier } = this.couriers;
      const route = await tracing.span('route', { attributes: { 'postloft.domain': job.domain } }, () =>
        courier.resolve(job.domain),
      );
      const envelope = { mailFrom, recipients: recipientsOf(job), tls, source };
      const { outcomes, tlsResults } = await tracing.span('attempt', { kind: 'client' }, async (span) => {
        const result = await courier.deliver(route, envelope, this.messageOf(job, permit));
        if (tracing.isOn) describeAttempt(span, result.outcomes);
        return result;
      });
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
      const route = await this.couriers.inbox.resolve(job.domain);
      return (await this.couriers.inbox.deliver(route, envelope, message)).outcomes;
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
      content: async () => this.messages.build(job, await this.stored(job)),
      sevenBit: async () => this.messages.sevenBit(job, await this.stored(job)),
    };
  }

  private async stored(job: DeliveryJob): Promise<NonNullable<DeliveryJob['content']>> {
    const content = await this.messages.stored(job);
    if (!content) throw new Error('the content of this message is no longer stored');
    return content;
  }
}

/** What the mail server replied; the message was one attempt for all recipients, so the first outcome stands for it. */
function describeAttempt(span: ReturnType<typeof tracing.begin>, [outcome]: readonly Outcome[]): void {
  if (outcome === undefined || outcome.kind === 'abandoned') return;
  const { remote, reply } = outcome;
  span.set({
    'postloft.outcome': outcome.kind,
    'server.address': remote.mx ?? undefined,
    'network.peer.address': remote.ip ?? undefined,
    'tls.protocol.version': remote.tls ?? undefined,
    'smtp.reply.code': reply.code ?? undefined,
    'smtp.reply.enhanced': reply.enhanced ?? undefined,
    'smtp.reply.text': reply.text,
  });
  if (outcome.kind === 'bounced' || outcome.kind === 'deferred') span.fail(`${outcome.kind} at ${outcome.phase}`);
}

const recipientsOf = ({ recipients }: DeliveryJob): Envelope['recipients'] =>
  recipients.map(({ ordinal, address }) => ({ key: String(ordinal), address }));
