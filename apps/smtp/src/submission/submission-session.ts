import { Injectable } from '@nestjs/common';
import { Allowances, RateLimit } from '#libs/accounts';
import { LIMITS, Refusal } from '#libs/contracts';
import { EmailIntake, relayedOptions } from '#libs/emails';
import { Config, Log, tracing } from '#libs/kernel';
import { normaliseAddress, parseRecipient, LineEndNormaliser } from '#libs/mime';
import { SuppressionList } from '#libs/suppressions';
import type { SMTPServerAddress, SMTPServerAuthentication, SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import { MessageMemory } from '../server/message-memory.js';
import { SUPPRESSED_RECIPIENT } from '../server/replies.js';
import { SmtpReply, toSmtpReply } from '../server/smtp-reply.js';
import { SubmissionLogin, type Credentials } from './submission-login.js';
import { parseMessage } from './submitted-message.js';
import { toSubmission, type RelayedOptions, type Transaction } from './to-submission.js';

/**
 * Memory of all messages that are being received or stored, in octets: four and a half of the largest size or hundreds of
 * ordinary ones, where one processor stores a few of the largest in a second.
 */
const MESSAGE_MEMORY = 48 * 1024 * 1024;

/** The state of a connection after its login. */
interface SessionUser {
  credentials: Credentials;
  /** Of the transaction that the last MAIL has begun. */
  transaction: Transaction;
}

/** The commands of a submission connection, in their order: AUTH, MAIL, RCPT, DATA. */
@Injectable()
export class SubmissionSession {
  private readonly memory = new MessageMemory(MESSAGE_MEMORY);
  private readonly serviceDomain: string;

  constructor(
    private readonly logins: SubmissionLogin,
    private readonly suppressions: SuppressionList,
    private readonly rateLimit: RateLimit,
    private readonly intake: EmailIntake,
    private readonly allowances: Allowances,
    private readonly log: Log,
    config: Config,
  ) {
    this.serviceDomain = config.settings.SERVICE_DOMAIN;
  }

  async login(auth: SMTPServerAuthentication, session: SMTPServerSession): Promise<{ user: SessionUser }> {
    const credentials = await this.logins.login(auth, session.remoteAddress);
    return { user: { credentials, transaction: newTransaction(-Infinity) } };
  }

  /** Requires TLS and a login itself too, whatever commands the library is configured to allow. */
  async mailFrom(session: SMTPServerSession): Promise<void> {
    const user = session.user as SessionUser | undefined;
    if (!session.secure || !user) throw new SmtpReply(530, '5.7.0 Authentication required');
    const { accountId, mode } = await this.logins.refresh(user.credentials, session.remoteAddress);
    user.transaction = newTransaction(performance.now());
    const taken = await this.rateLimit.take(accountId);
    if (!taken.allowed) throw toSmtpReply(new Refusal('rate_limit_exceeded'));
    if (mode === 'live') await this.allowances.assertNotPaused(accountId);
  }

  async rcptTo(to: SMTPServerAddress, session: SMTPServerSession): Promise<void> {
    // RFC 5321 §4.5.1: postmaster is the only mailbox without a domain.
    if (to.address.toLowerCase() === 'postmaster') to.address = `postmaster@${this.serviceDomain}`;
    const mailbox = parseRecipient(to.address);
    if ('problem' in mailbox) throw new SmtpReply(501, `5.1.3 The address ${mailbox.problem}`);
    await this.requireNotSuppressed(normaliseAddress(mailbox.address), session.user as SessionUser);
  }

  private async requireNotSuppressed(address: string, { credentials, transaction }: SessionUser): Promise<void> {
    const { accountId, mode } = credentials.principal;
    // Test mail is not delivered, so suppressions do not matter.
    if (mode === 'test') return;
    const entry = await this.suppressions.listed(accountId, address);
    if (entry?.isAccountWide) {
      transaction.refused.push(address);
      throw new SmtpReply(550, `${SUPPRESSED_RECIPIENT} (${entry.origin})`);
    }
    if (entry) transaction.someListed = true;
  }

  /** From the first octet of the message to the text of its 250, which is sent only after the commit. */
  async data(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    try {
      return await tracing.span('SMTP DATA', { kind: 'server' }, () => this.receive(stream, session));
    } finally {
      this.memory.release(stream);
    }
  }

  private async receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const { credentials, transaction } = session.user as SessionUser;
    const { rcptTo } = session.envelope;
    const octets = await this.memory.receive(stream, { limit: LIMITS.messageBytes, lines: new LineEndNormaliser() });
    const message = await parseMessage(octets, this.serviceDomain);
    // Again: a transaction may stay open for minutes, and a revoked key ends within a second.
    const principal = await this.logins.refresh(credentials, session.remoteAddress);
    const options = relayedOptions(message.relayed);
    const submission = toSubmission(message, options, { principal, transaction, rcptTo });
    const { id } = await this.intake.accept(submission);
    return `2.0.0 queued as ${id}${ignoredFields(options)}`;
  }

  /** The reply to a command that failed; unexpected errors are temporary, so that the client keeps the message. */
  toReply(error: unknown, session: SMTPServerSession): SmtpReply {
    if (error instanceof SmtpReply) return error;
    if (error instanceof Refusal) return replyInTransaction(error);
    this.log.error('submission failed', error, { session: session.id });
    return new SmtpReply(451, '4.3.0 The mail could not be stored. Try again later');
  }
}

const newTransaction = (startedAt: number): Transaction => ({ startedAt, someListed: false, refused: [] });

/**
 * 535 is a reply to AUTH (RFC 4954 §6). In a transaction it is sent only for a key that has ended: the client must log in
 * with another one.
 */
function replyInTransaction(refusal: Refusal): SmtpReply {
  const reply = toSmtpReply(refusal);
  if (reply.responseCode !== 535 || refusal.code === 'invalid_api_key') return reply;
  return new SmtpReply(550, reply.message.replace(/^\S+/, '5.7.1'));
}

/** Names control fields that had no effect: they are never ignored silently. */
const ignoredFields = ({ ignored }: RelayedOptions): string =>
  ignored.length === 0 ? '' : ` (ignored: ${ignored.join(', ').slice(0, 300)})`;
