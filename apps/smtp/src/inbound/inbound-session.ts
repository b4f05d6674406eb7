import { Injectable } from '@nestjs/common';
import { LIMITS, Refusal } from '#libs/contracts';
import { InboundMail, type InboundPlace } from '#libs/emails';
import { Config, Log } from '#libs/kernel';
import { parseMailbox } from '#libs/mime';
import type { SMTPServerAddress, SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import { MessageRoom } from '../door/message-room.js';
import { networkOf } from '../door/network-of.js';
import { replyOf, SmtpReply } from '../door/smtp-reply.js';
import { countHops } from './count-hops.js';
import { MailRate } from './mail-rate.js';
import { recipientRefusal } from './recipient-refusal.js';
import { Turnstile } from './turnstile.js';

/** Of one client address. A server that has more bounces for us keeps them and comes back. */
const MAILS_PER_MINUTE = 300;
/** Of all messages that come in at once, in octets: four of the largest. */
const ROOM = 4 * LIMITS.inboundBytes;
/**
 * Messages that are read and stored at once, and in a second: a flood of bounces must leave processor and database to mail
 * that is accepted and delivered. Whoever waits gets his 250 some seconds later; four million a day are enough for a
 * service that delivers a hundred times as many.
 */
const AT_ONCE = 4;
const PER_SECOND = 50;
/** RFC 5321 §6.3. */
const MAX_HOPS = 100;

/** One conversation at the inbound door: only addresses of ours are taken, and nothing is ever sent back. */
@Injectable()
export class InboundSession {
  private readonly serviceDomain: string;
  private readonly rate = new MailRate(MAILS_PER_MINUTE);
  private readonly room = new MessageRoom(ROOM);
  private readonly turnstile = new Turnstile(AT_ONCE, PER_SECOND);

  constructor(
    private readonly inbound: InboundMail,
    private readonly log: Log,
    config: Config,
  ) {
    this.serviceDomain = config.settings.SERVICE_DOMAIN;
  }

  /** Any sender, and none: who sends a report proves nothing. */
  async mailFrom(session: SMTPServerSession): Promise<void> {
    if (!this.rate.take(networkOf(session.remoteAddress)))
      throw new SmtpReply(451, '4.7.1 Too many messages from your address. Come back in a minute');
  }

  async rcptTo(to: SMTPServerAddress): Promise<void> {
    const mailbox = parseMailbox(this.withDomain(to.address));
    if ('problem' in mailbox) throw new SmtpReply(501, `5.1.3 The address ${mailbox.problem}`);
    if (this.inbound.place(mailbox.address) === null) throw recipientRefusal(mailbox, this.serviceDomain);
    // Its domain in lower-case A-labels, as a place is looked for.
    to.address = mailbox.address;
  }

  /** The 250 is sent only when what the message says is on disk. */
  async data(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
    try {
      const message = await this.room.read(stream, { limit: LIMITS.inboundBytes });
      if (countHops(message) > MAX_HOPS) throw new SmtpReply(554, '5.4.6 Too many hops: the message runs in a circle');
      await this.turnstile.through(() => this.receive(message, session));
    } finally {
      this.room.leave(stream);
    }
  }

  private receive(message: Buffer, { envelope, remoteAddress }: SMTPServerSession): Promise<void> {
    const { mailFrom } = envelope;
    const rcptTo = envelope.rcptTo.map(({ address }) => address);
    return this.inbound.receive({
      mailFrom: mailFrom ? mailFrom.address : '',
      rcptTo,
      // RCPT has seen that each has one.
      places: rcptTo.map((address) => this.inbound.place(address) as InboundPlace),
      remoteIp: remoteAddress,
      message,
    });
  }

  /** RFC 5321 §4.5.1: postmaster is reached without a domain too. */
  private withDomain(address: string): string {
    return address.toLowerCase() === 'postmaster' ? `${address}@${this.serviceDomain}` : address;
  }

  /** Anything unforeseen is temporary, so that the other server keeps what it has. */
  reply(error: unknown, session: SMTPServerSession): SmtpReply {
    if (error instanceof SmtpReply) return error;
    if (error instanceof Refusal) return replyOf(error);
    this.log.error('inbound mail failed', error, { session: session.id });
    return new SmtpReply(451, '4.3.0 The message could not be stored. Try again later');
  }
}
