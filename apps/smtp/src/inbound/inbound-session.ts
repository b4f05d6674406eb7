import { Injectable } from '@nestjs/common';
import type { SMTPServerAddress, SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import { LIMITS, Refusal } from '#libs/contracts';
import { clientNetwork, Config, KeyedRateLimit, Log } from '#libs/kernel';
import { InboundReceiver, type InboundMailbox } from '#libs/inbound';
import { parseRecipient } from '#libs/mime';
import { MessageMemory } from '../server/message-memory.js';
import { SmtpReply, toSmtpReply } from '../server/smtp-reply.js';
import { countHops, recipientRefusal } from './inbound-checks.js';
import { PacedSemaphore } from './paced-semaphore.js';

/** Per client network. A server with more bounces keeps them in its queue and retries. */
const MESSAGES_PER_MINUTE = 300;
const MINUTE_MS = 60_000;
/** Clients whose rate is counted. */
const MAX_CLIENTS = 50_000;
/** Memory of all messages that are being received or stored, in octets: four of the largest size. */
const MESSAGE_MEMORY = 4 * LIMITS.inboundBytes;
/**
 * Messages that are processed at once, and that begin per second: a flood of bounces must leave processor and database to
 * accepting and delivering mail. Its senders wait some seconds for their 250. Four million messages a day are enough for a
 * service that delivers a hundred times as many.
 */
const PROCESSED_AT_ONCE = 4;
const PROCESSED_PER_SECOND = 50;
/** RFC 5321 §6.3. */
const MAX_HOPS = 100;

/** The commands of an inbound connection: mail is accepted only for addresses of the service, and never relayed. */
@Injectable()
export class InboundSession {
  private readonly serviceDomain: string;
  private readonly rateLimit = new KeyedRateLimit({
    limit: MESSAGES_PER_MINUTE,
    windowMs: MINUTE_MS,
    maxKeys: MAX_CLIENTS,
  });
  private readonly memory = new MessageMemory(MESSAGE_MEMORY);
  private readonly processing = new PacedSemaphore(PROCESSED_AT_ONCE, PROCESSED_PER_SECOND);

  constructor(
    private readonly inbound: InboundReceiver,
    private readonly log: Log,
    config: Config,
  ) {
    this.serviceDomain = config.settings.SERVICE_DOMAIN;
  }

  /** Accepts any sender and the empty one: the sender of a report proves nothing. */
  async mailFrom(session: SMTPServerSession): Promise<void> {
    if (!this.rateLimit.take(clientNetwork(session.remoteAddress)).allowed)
      throw new SmtpReply(451, '4.7.1 Too many messages from your address. Come back in a minute');
  }

  async rcptTo(to: SMTPServerAddress): Promise<void> {
    const mailbox = parseRecipient(this.withDomain(to.address));
    if ('problem' in mailbox) throw new SmtpReply(501, `5.1.3 The address ${mailbox.problem}`);
    if (this.inbound.mailboxOf(mailbox.address) === null) throw recipientRefusal(mailbox, this.serviceDomain);
    // With its domain in lower-case A-labels, as DATA looks it up.
    to.address = mailbox.address;
  }

  /** From the first octet of the message to its 250, which is sent only after the commit. */
  async data(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    try {
      const message = await this.memory.receive(stream, { limit: LIMITS.inboundBytes });
      if (countHops(message) > MAX_HOPS) throw new SmtpReply(554, '5.4.6 Too many hops: the message runs in a circle');
      await this.processing.run(() => this.process(message, session));
      return '2.0.0 Ok';
    } finally {
      this.memory.release(stream);
    }
  }

  private process(message: Buffer, { envelope, remoteAddress, hostNameAppearsAs }: SMTPServerSession): Promise<void> {
    const { mailFrom } = envelope;
    const rcptTo = envelope.rcptTo.map(({ address }) => address);
    const inbound = {
      mailFrom: mailFrom ? mailFrom.address : '',
      helo: hostNameAppearsAs || '',
      rcptTo,
      // RCPT has checked that each has one.
      mailboxes: rcptTo.map((address) => this.inbound.mailboxOf(address) as InboundMailbox),
      remoteIp: remoteAddress,
      message,
    };
    // Authentication waits for DNS, which must not keep other reports waiting.
    return this.inbound.receive(inbound, (wait) => this.processing.without(wait));
  }

  /** RFC 5321 §4.5.1: postmaster is the only mailbox without a domain. */
  private withDomain(address: string): string {
    return address.toLowerCase() === 'postmaster' ? `${address}@${this.serviceDomain}` : address;
  }

  /** The reply to a command that failed; unexpected errors are temporary, so that the other server keeps the message. */
  toReply(error: unknown, session: SMTPServerSession): SmtpReply {
    if (error instanceof SmtpReply) return error;
    if (error instanceof Refusal) return toSmtpReply(error);
    this.log.error('inbound mail failed', error, { session: session.id });
    return new SmtpReply(451, '4.3.0 The message could not be stored. Try again later');
  }
}
