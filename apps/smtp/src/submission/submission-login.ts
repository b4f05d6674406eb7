import { Injectable } from '@nestjs/common';
import { ApiKeys, type Principal, type TokenFingerprint, permissions } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { Config, FailureLimit } from '#libs/kernel';
import { domainOf, parseMailbox } from '#libs/mime';
import type { SMTPServerAuthentication } from 'smtp-server';
import { SmtpReply, toSmtpReply } from '../server/smtp-reply.js';

/** One reply for all wrong logins, so that it does not reveal what was wrong. */
const INVALID_CREDENTIALS = '5.7.8 Authentication credentials invalid';
/** Clients that are configured for Resend log in with this name; the key alone identifies the account. */
const NAME_ALIAS = 'resend';

/** The key of a connection; `principal` is as of the last `refresh`. */
export interface Credentials {
  token: TokenFingerprint;
  principal: Principal;
}

/** Logins of submission connections: an API key as the password, an address of a sending domain as the name. */
@Injectable()
export class SubmissionLogin {
  private readonly failures: FailureLimit;

  constructor(
    private readonly keys: ApiKeys,
    private readonly domains: SendingDomains,
    config: Config,
  ) {
    this.failures = new FailureLimit(config.settings.SMTP_AUTH_FAILURES_PER_MINUTE);
  }

  async login(auth: SMTPServerAuthentication, remoteAddress: string): Promise<Credentials> {
    this.assertFewFailures(remoteAddress);
    const result = await this.verify(auth, remoteAddress);
    // Again: concurrent guesses all begin before the first of them has failed.
    this.assertFewFailures(remoteAddress);
    if (!(result instanceof SmtpReply)) return result;
    if (result.responseCode === 535) this.failures.recordFailure(remoteAddress);
    throw result;
  }

  /** Checks the key again, since it may have been revoked or restricted. */
  async refresh(credentials: Credentials, remoteAddress: string): Promise<Principal> {
    credentials.principal = await this.authenticate(credentials.token, remoteAddress);
    return credentials.principal;
  }

  private assertFewFailures(address: string): void {
    if (this.failures.isBlocked(address))
      throw new SmtpReply(421, '4.7.0 Too many failed logins from this address. Try again in a minute');
  }

  private async verify(auth: SMTPServerAuthentication, address: string): Promise<Credentials | SmtpReply> {
    try {
      const token = this.keys.fingerprintOf(auth.password ?? '');
      const principal = await this.authenticate(token, address);
      if (actsForAnother(auth) || !(await this.isOwnSender(auth.username ?? '', principal)))
        throw new Refusal('invalid_api_key');
      return { token, principal };
    } catch (error) {
      if (!(error instanceof Refusal)) return new SmtpReply(454, '4.7.0 Temporary authentication failure');
      const wrong = error.code === 'invalid_api_key' || error.code === 'missing_api_key';
      return wrong && error.row.status !== 503 ? new SmtpReply(535, INVALID_CREDENTIALS) : toSmtpReply(error);
    }
  }

  private async authenticate(token: TokenFingerprint, address: string): Promise<Principal> {
    const principal = await this.keys.principalOf(token);
    permissions.requireAddress(principal, address);
    permissions.requireStanding(principal);
    permissions.requireScope(principal, 'emails.send');
    return principal;
  }

  private async isOwnSender(username: string, principal: Principal): Promise<boolean> {
    if (username.toLowerCase() === NAME_ALIAS) return true;
    const mailbox = parseMailbox(username);
    if ('problem' in mailbox) return false;
    const domain = await this.domains.active(principal.accountId, domainOf(mailbox.address));
    return domain !== null && (principal.domainIds?.has(domain.id) ?? true);
  }
}

/** RFC 4616 §2: a login may name another identity to act as, which is not supported here. */
const actsForAnother = ({ authzid, username }: SMTPServerAuthentication): boolean =>
  !!authzid && authzid.toLowerCase() !== username?.toLowerCase();
