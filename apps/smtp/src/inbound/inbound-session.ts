import { Injectable } from '@nestjs/common';
import { LIMITS } from '#libs/contracts';
import { InboundMail, type InboundPlace } from '#libs/emails';
import { Log } from '#libs/kernel';
import type { SMTPServerAddress, SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import { readMessage } from '../door/read-message.js';
import { SmtpReply } from '../door/smtp-reply.js';

/** One conversation at the inbound door: only addresses of ours are taken, and nothing is ever sent back. */
@Injectable()
export class InboundSession {
  constructor(
    private readonly inbound: InboundMail,
    private readonly log: Log,
  ) {}

  async rcptTo(to: SMTPServerAddress): Promise<void> {
    if (this.inbound.place(to.address) === null) throw new SmtpReply(550, '5.7.1 No mail is taken for this address');
  }

  /** The 250 is sent only when what the message says is on disk. */
  async data(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
    const message = await readMessage(stream, LIMITS.inboundBytes);
    const { mailFrom, rcptTo } = session.envelope;
    const addresses = rcptTo.map(({ address }) => address);
    await this.inbound.receive({
      mailFrom: mailFrom ? mailFrom.address : '',
      rcptTo: addresses,
      places: addresses.map((address) => this.inbound.place(address) as InboundPlace),
      remoteIp: session.remoteAddress,
      message,
    });
  }

  /** Anything unforeseen is temporary, so that the other server keeps what it has. */
  reply(error: unknown, session: SMTPServerSession): SmtpReply {
    if (error instanceof SmtpReply) return error;
    this.log.error('inbound mail failed', error, { session: session.id });
    return new SmtpReply(451, '4.3.0 The message could not be stored. Try again later');
  }
}
