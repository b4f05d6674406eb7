import { Injectable } from '@nestjs/common';
import { ReturnPath, type TransactionRef } from '#libs/emails';
import { Config, LocalNotifications, yielding } from '#libs/kernel';
import { type InboundReport, mailReports } from '#libs/mime';
import { ReportAuthenticator, type Proof } from './authentication/report-authenticator.js';
import { INBOUND_ROLES, type InboundMailbox, type InboundMessage, type InboundRole } from './inbound-message.js';
import { InboundRecords } from './inbound-records.js';
import type { InboundResult, Prove } from './inbound-result.js';
import { ReportedBounces } from './reported-bounces.js';
import { ReportedComplaints } from './reported-complaints.js';

/** Runs a wait for DNS; the caller may let others run meanwhile. */
type Pause = <T>(wait: () => Promise<T>) => Promise<T>;

/**
 * Processes inbound messages: bounces, complaints, and messages to the role mailboxes. No inbound message is ever
 * answered.
 */
@Injectable()
export class InboundReceiver {
  private readonly serviceDomain: string;

  constructor(
    private readonly returnPath: ReturnPath,
    private readonly bounces: ReportedBounces,
    private readonly complaints: ReportedComplaints,
    private readonly authenticator: ReportAuthenticator,
    private readonly records: InboundRecords,
    private readonly notifications: LocalNotifications,
    config: Config,
  ) {
    this.serviceDomain = config.settings.SERVICE_DOMAIN;
  }

  /** Returns null for an address that accepts no messages here. */
  mailboxOf(address: string): InboundMailbox | null {
    const ref = this.returnPath.read(address);
    if (ref) return { kind: 'return_path', ref };
    const [local, domain = ''] = address.toLowerCase().split('@');
    const role = INBOUND_ROLES.find((word) => word === local);
    return role !== undefined && this.hasRole(role, domain) ? { kind: 'role', role } : null;
  }

  /**
   * RFC 5321 §4.5.1: postmaster exists at every name that accepts mail, including names below customers' domains. As
   * for return paths, the owner of the domain is not looked up.
   */
  private hasRole(role: InboundRole, domain: string): boolean {
    if (domain === this.serviceDomain) return true;
    return role === 'postmaster' && (domain === `smtp.${this.serviceDomain}` || domain.startsWith('bounces.'));
  }

  /**
   * Resolves when the effect of the message is committed. Waits for DNS run through `pause`.
   * @throws Refusal, a temporary one, if the report is about an email whose delivery has not been recorded yet.
   */
  async receive(inbound: InboundMessage, pause: Pause = (wait) => wait()): Promise<void> {
    const report = await yielding.run(mailReports.read(inbound.message));
    const result = await this.process(inbound, report, this.proverOf(inbound, report, pause)).catch(
      (error: unknown) => {
        this.records.postponed(report.kind, error);
        throw error;
      },
    );
    if (result.verdict === 'applied') this.notifications.notify('outbox');
    await this.records.processed(inbound, report, result);
  }

  /**
   * A report is authenticated at most once per recipient domain, and only where the transaction had several recipients. A
   * person at a large provider passes its SPF and DKIM, but cannot send as its mail system.
   */
  private proverOf(inbound: InboundMessage, { kind }: InboundReport, pause: Pause): Prove {
    const proofs = new Map<string, Promise<Proof>>();
    return ({ alone, domain }) => {
      if (alone) return Promise.resolve({ proved: true });
      if (kind === 'delivery' && !MAIL_SYSTEM.test(inbound.mailFrom)) return Promise.resolve(SENT_BY_PERSON);
      if (!proofs.has(domain) && proofs.size === MAX_PROOFS) return Promise.resolve(TOO_MANY_DOMAINS);
      const proof = proofs.get(domain) ?? pause(() => this.authenticator.prove(inbound, domain));
      proofs.set(domain, proof);
      return proof;
    };
  }

  private async process({ mailboxes }: InboundMessage, report: InboundReport, prove: Prove): Promise<InboundResult> {
    const refs = returnPathRefs(mailboxes);
    switch (report.kind) {
      case 'delivery':
        return refs.length === 0 ? KEPT_FOR_OPERATOR : this.applyBounces(refs, report, prove);
      case 'feedback':
        return this.complaints.apply(report, refs, prove);
      case 'automatic':
        if (refs.length === 0) return KEPT_FOR_OPERATOR;
        return report.failed.length > 0
          ? { verdict: 'kept', note: MENTIONS_FAILURE, emailId: refs[0].emailId }
          : { verdict: 'ignored', note: null, emailId: refs[0].emailId };
      case 'unknown':
        return refs.length === 0
          ? KEPT_FOR_OPERATOR
          : { verdict: 'kept', note: 'the report cannot be read', emailId: refs[0].emailId };
    }
  }

  /** Sequential: a report is normally sent to one return path only. */
  private async applyBounces(
    refs: readonly TransactionRef[],
    report: Extract<InboundReport, { kind: 'delivery' }>,
    prove: Prove,
  ): Promise<InboundResult> {
    const results: InboundResult[] = [];
    for (const ref of refs) results.push(await this.bounces.apply(ref, report, prove));
    return results.find(({ verdict }) => verdict === 'applied') ?? results[0];
  }
}

/** RFC 3464 §2: a delivery status notification has the null sender; some systems write one of these names. */
const MAIL_SYSTEM = /^(?:$|(?:mailer-daemon|postmaster)@)/i;
const SENT_BY_PERSON: Proof = { proved: false, reason: 'its MAIL FROM is not that of a mail system' };

/** Recipient domains for which one message is authenticated: a report has one, unless it is sent to many return paths. */
const MAX_PROOFS = 5;
const TOO_MANY_DOMAINS: Proof = { proved: false, reason: `it was sent about more than ${MAX_PROOFS} domains` };

const MENTIONS_FAILURE = 'an automatic reply that names an address to which delivery failed';
const KEPT_FOR_OPERATOR: InboundResult = { verdict: 'kept', note: null, emailId: null };

function returnPathRefs(mailboxes: readonly InboundMailbox[]): TransactionRef[] {
  const refs = mailboxes.flatMap((mailbox) => (mailbox.kind === 'return_path' ? [mailbox.ref] : []));
  return [...new Map(refs.map((ref) => [`${ref.emailId} ${ref.ordinal} ${ref.alone}`, ref])).values()];
}
