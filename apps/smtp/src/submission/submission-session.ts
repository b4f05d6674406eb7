import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  ApiKeys,
  assertAddress,
  assertScope,
  assertStanding,
  RateLimit,
  type Principal,
  type TokenMark,
} from '#libs/accounts';
import { LIMITS, newId, Refusal } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import {
  EmailIntake,
  relayedOptions,
  releaseTime,
  type Idempotency,
  type RelayedOptions,
  type Submission,
} from '#libs/emails';
import { Config, joinInTurns, Log, nextTurn } from '#libs/kernel';
import {
  domainOf,
  normaliseAddress,
  parseMailbox,
  prepareRelayed,
  SubmissionLines,
  type Mailbox,
  type RelayedMessage,
} from '#libs/mime';
import { SuppressionList } from '#libs/suppressions';
import type { SMTPServerAddress, SMTPServerAuthentication, SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import { messageRoom } from '../door/message-room.js';
import { SUPPRESSED_RECIPIENT } from '../door/replies.js';
import { replyOf, SmtpReply } from '../door/smtp-reply.js';
import { AuthThrottle } from './auth-throttle.js';
import { readShown, type Shown } from './shown-mailboxes.js';

/** What a logged-in session knows; the key is asked for again at each mail, so that a revoked one ends at once. */
interface Login {
  token: TokenMark;
  principal: Principal;
  /** Of `performance.now()`: when MAIL was taken, so that every RCPT was judged after it. */
  mailAt: number;
  /** An accepted recipient is on the list of some sending domain: whose mail this is shows only in its header. */
  listed: boolean;
  /** Recipients of this transaction that were refused because they are suppressed, normalised. */
  refused: string[];
}

const LARGE_BYTES = 256 * 1024;
const SAME_ANSWER = '5.7.8 Authentication credentials invalid';
/** Clients of a well-known hosted service log in with this name; the key alone tells the account. */
const NAME_ALIAS = 'resend';

/** One submission conversation: login, envelope, message, and the one line that hands it to the intake. */
@Injectable()
export class SubmissionSession {
  private readonly throttle: AuthThrottle;
  private readonly serviceDomain: string;

  constructor(
    private readonly keys: ApiKeys,
    private readonly domains: SendingDomains,
    private readonly suppressions: SuppressionList,
    private readonly rateLimit: RateLimit,
    private readonly intake: EmailIntake,
    private readonly log: Log,
    config: Config,
  ) {
    this.throttle = new AuthThrottle(config.settings.SMTP_AUTH_FAILURES_PER_MINUTE);
    this.serviceDomain = config.settings.SERVICE_DOMAIN;
  }

  async login(auth: SMTPServerAuthentication, session: SMTPServerSession): Promise<Login> {
    const { remoteAddress } = session;
    this.assertFewFailures(remoteAddress);
    const verdict = await this.judgeLogin(auth, remoteAddress);
    // Again: guesses at the same time were all begun before the first one had failed.
    this.assertFewFailures(remoteAddress);
    if (!(verdict instanceof SmtpReply)) return verdict;
    if (verdict.responseCode === 535) this.throttle.failed(remoteAddress);
    throw verdict;
  }

  private assertFewFailures(address: string): void {
    if (this.throttle.blocked(address))
      throw new SmtpReply(421, '4.7.0 Too many failed logins from this address. Try again in a minute');
  }

  private async judgeLogin(auth: SMTPServerAuthentication, address: string): Promise<Login | SmtpReply> {
    try {
      const token = this.keys.markOf(auth.password ?? '');
      const principal = await this.authenticate(token, address);
      if (actsForAnother(auth) || !(await this.isOwnSender(auth.username ?? '', principal)))
        throw new Refusal('invalid_api_key');
      return { token, principal, mailAt: -Infinity, listed: false, refused: [] };
    } catch (error) {
      if (!(error instanceof Refusal)) return new SmtpReply(454, '4.7.0 Temporary authentication failure');
      const wrong = error.code === 'invalid_api_key' || error.code === 'missing_api_key';
      return wrong && error.row.status !== 503 ? new SmtpReply(535, SAME_ANSWER) : replyOf(error);
    }
  }

  private async authenticate(token: TokenMark, address: string): Promise<Principal> {
    const principal = await this.keys.holderOf(token);
    assertAddress(principal, address);
    assertStanding(principal);
    assertScope(principal, 'emails.send');
    return principal;
  }

  private async isOwnSender(username: string, principal: Principal): Promise<boolean> {
    if (username.toLowerCase() === NAME_ALIAS) return true;
    const mailbox = parseMailbox(username);
    if ('problem' in mailbox) return false;
    const domain = await this.domains.active(principal.accountId, domainOf(mailbox.address));
    return domain !== null && (principal.domainIds?.has(domain.id) ?? true);
  }

  /** The wall behind the library's own: no MAIL without TLS and login, whatever commands are enabled. */
  async mailFrom(_from: SMTPServerAddress, session: SMTPServerSession): Promise<void> {
    const login = session.user as Login | undefined;
    if (!session.secure || !login) throw new SmtpReply(530, '5.7.0 Authentication required');
    login.principal = await this.authenticate(login.token, session.remoteAddress);
    login.mailAt = performance.now();
    login.listed = false;
    login.refused = [];
    const verdict = await this.rateLimit.take(login.principal.accountId);
    if (!verdict.allowed) throw replyOf(new Refusal('rate_limit_exceeded'));
  }

  async rcptTo(to: SMTPServerAddress, session: SMTPServerSession): Promise<void> {
    // RFC 5321 §4.5.1: the one mailbox that needs no domain is the one of whoever runs this server.
    if (to.address.toLowerCase() === 'postmaster') to.address = `postmaster@${this.serviceDomain}`;
    const mailbox = parseMailbox(to.address);
    if ('problem' in mailbox) throw new SmtpReply(501, `5.1.3 The address ${mailbox.problem}`);
    const login = session.user as Login;
    // A test mail reaches nobody, so nobody needs to be spared it (D-66).
    if (login.principal.mode === 'test') return;
    const normal = normaliseAddress(mailbox.address);
    const entry = await this.suppressions.listed(login.principal.accountId, normal);
    if (entry?.everywhere) {
      login.refused.push(normal);
      throw new SmtpReply(550, `${SUPPRESSED_RECIPIENT} (${entry.origin})`);
    }
    if (entry) login.listed = true;
  }

  /** The whole message, to the words of its 250, which is sent only after the commit. */
  async data(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const message = await messageRoom.read(stream, { limit: LIMITS.messageBytes, lines: new SubmissionLines() });
    const login = session.user as Login;
    const { rcptTo } = session.envelope;
    const relayed = await readRelayed(message);
    // Again: a client may hold a transaction open for minutes, and a revoked key ends within a second (S-5).
    const principal = await this.authenticate(login.token, session.remoteAddress);
    const options = relayedOptions(relayed);
    const whole = await joinInTurns(relayed.pieces);
    const shown = await readShown(relayed);
    const { id } = await this.intake.accept(
      toSubmission(principal, relayed, { message: whole, rcptTo, options, login, shown }),
    );
    return `queued as ${id}${ignoredOf(options)}`;
  }

  /** A refusal as its reply; anything unforeseen is temporary, so that the client keeps the mail. */
  reply(error: unknown, session: SMTPServerSession): SmtpReply {
    if (error instanceof SmtpReply) return error;
    if (error instanceof Refusal) return inTransaction(error);
    this.log.error('submission failed', error, { session: session.id });
    return new SmtpReply(451, '4.3.0 The mail could not be stored. Try again later');
  }
}

const newMessageId = (): string => newId('em').slice(3);

/** One step through a large message takes up to ten milliseconds, so it has a turn of its own. */
async function readRelayed(message: Buffer): Promise<RelayedMessage> {
  const large = message.length > LARGE_BYTES;
  if (large) await nextTurn();
  const relayed = prepareRelayed(message, { messageId: newMessageId, date: (at) => releaseTime(at) ?? new Date() });
  if ('problem' in relayed)
    throw new SmtpReply(
      relayed.code,
      `${relayed.enhanced} ${relayed.field ? `${relayed.field}: ` : ''}${relayed.problem}`,
    );
  if (large) await nextTurn();
  return relayed;
}

/** 535 answers a login (RFC 4954 §6). Later only a key that has ended is told by it: its owner must log in with another. */
function inTransaction(refusal: Refusal): SmtpReply {
  const reply = replyOf(refusal);
  if (reply.responseCode !== 535 || refusal.code === 'invalid_api_key') return reply;
  return new SmtpReply(550, reply.message.replace(/^\S+/, '5.7.1'));
}

/** RFC 4616 §2: who logs in may name another one to act for; here everybody acts for himself. */
const actsForAnother = ({ authzid, username }: SMTPServerAuthentication): boolean =>
  !!authzid && authzid.toLowerCase() !== username?.toLowerCase();

/** Recipients are those of RCPT TO and nobody else; the header only tells who is shown as To and Cc (D-58). */
function toSubmission(
  principal: Principal,
  relayed: RelayedMessage,
  of: { message: Buffer; rcptTo: SMTPServerAddress[]; options: RelayedOptions; login: Login; shown: Shown },
): Submission {
  const { message, rcptTo, login, shown } = of;
  const { idempotencyKey: key, tags, scheduledAt, unsubscribe } = of.options;
  const shownTo = new Set(shown.to.map((mailbox) => normaliseAddress(mailbox.address)));
  const shownCc = new Set(shown.cc.map((mailbox) => normaliseAddress(mailbox.address)));
  const to: Mailbox[] = [];
  const cc: Mailbox[] = [];
  const bcc: Mailbox[] = [];
  for (const { address } of rcptTo) {
    const mailbox = parseMailbox(address) as Mailbox;
    const normal = normaliseAddress(address);
    (shownTo.has(normal) ? to : shownCc.has(normal) ? cc : bcc).push(mailbox);
  }
  return {
    accountId: principal.accountId,
    keyId: principal.keyId,
    mode: principal.mode,
    allowedDomains: principal.domainIds,
    source: 'smtp',
    from: relayed.from,
    to,
    cc,
    bcc,
    replyTo: shown.replyTo,
    subject: relayed.subject,
    tags,
    content: {
      format: 'mime',
      message,
      messageId: relayed.messageId,
      files: relayed.files,
    },
    scheduledAt,
    idempotency: key === null ? null : { ...repeatScopes(principal, rcptTo, login.refused), key, bodyHash: null },
    unsubscribe,
    suppressionsAskedAt: login.listed ? undefined : login.mailAt,
    // One of several cannot be refused any more: the others get their mail, and he has an event that says why not.
    suppressed: 'skip_some',
  };
}

/** Wishes that were read and have no effect are told, never passed over in silence (D-5). */
const ignoredOf = ({ ignored }: RelayedOptions): string =>
  ignored.length === 0 ? '' : ` (ignored: ${ignored.join(', ').slice(0, 300)})`;

/**
 * Not the content decides what a repeat is (details §2), since clients write a new Date and Message-ID each time; but the
 * recipients do: a client that hands one mail over in several transactions gives the same key with each, and none of them
 * is a repeat. Those who were refused as suppressed count: in a repeat that may be others. A client may also leave them
 * out of it, so the mail is known by those who were taken too (docs/decisions/011).
 */
function repeatScopes(
  { accountId, mode }: Principal,
  rcptTo: readonly SMTPServerAddress[],
  refused: readonly string[],
): Pick<Idempotency, 'scope' | 'alias'> {
  const taken = rcptTo.map(({ address }) => normaliseAddress(address));
  const scopeOf = (recipients: readonly string[]): string => {
    const mark = createHash('sha256')
      .update([...new Set(recipients)].sort().join('\n'))
      .digest('base64url');
    return `${accountId}:${mode}:smtp:${mark}`;
  };
  return { scope: scopeOf([...taken, ...refused]), alias: refused.length > 0 ? scopeOf(taken) : undefined };
}
