import { Injectable } from '@nestjs/common';
import { AbuseBrakes } from '#libs/accounts';
import {
  simulator,
  systemMail,
  ReturnPath,
  emailSuppressions,
  UnsubscribeRecipient,
  type TransactionRef,
} from '#libs/emails';
import { Config, databaseClock } from '#libs/kernel';
import { normaliseAddress } from '#libs/mime';
import { printableText } from '#libs/mta';
import { Database, type Queryable } from '#libs/persistence';
import { type ReportedEmail, reportedEmails } from '#libs/queue';
import { SuppressionList } from '#libs/suppressions';
import {
  chooseComplainer,
  isTooOld,
  isUnfinished,
  NAMES_OTHER_ADDRESS,
  TOO_OLD,
  type ChosenRecipient,
} from './choose-recipient.js';
import { complaintSource, type Feedback } from './complaint-source.js';
import { type InboundResult, awaitSettled, NO_LONGER_STORED, type Prove, type Unsettled } from './inbound-result.js';
import type { Proof } from './authentication/report-authenticator.js';

/** RFC 5965 §7.3, and the words that some senders use instead. */
const COMPLAINT_TYPES: ReadonlySet<string> = new Set([
  'abuse',
  'fraud',
  'virus',
  'spam',
  'phishing',
  'malware',
  'complaint',
]);
const UNSUBSCRIBE_TYPES: ReadonlySet<string> = new Set(['opt-out', 'opt-out-list']);
/** RFC 6430: the recipient states that the message was wanted. */
const NOT_SPAM = 'not-spam';
const AGENT_LENGTH = 255;

/** A complaint, the transaction that it is about, and whether it may name any of its recipients. */
interface ProvedReport {
  ref: TransactionRef;
  report: Feedback;
  proof: Proof;
}

/** Complaints: `delivered` becomes `complained`, once, and the address is suppressed for the whole account. */
@Injectable()
export class ReportedComplaints {
  constructor(
    private readonly database: Database,
    private readonly suppressions: SuppressionList,
    private readonly unsubscriptions: UnsubscribeRecipient,
    private readonly returnPath: ReturnPath,
    private readonly config: Config,
    private readonly brakes: AbuseBrakes,
  ) {}

  /**
   * Resolves when the complaint is committed. `refs` are the return paths that the report was sent to; with several
   * recipients in the transaction, `prove` must find that the report comes from their mail system.
   * @throws Refusal if the delivery has not been recorded yet.
   */
  async apply(report: Feedback, refs: readonly TransactionRef[], prove: Prove): Promise<InboundResult> {
    const source = complaintSource(report, refs, this.returnPath);
    if (source === 'unknown')
      return { verdict: 'unmatched', note: 'no email with a valid token is named', emailId: null };
    if (source === 'contradictory') return { verdict: 'unmatched', note: 'two emails are named', emailId: null };
    const { emailId } = source;
    const type = report.feedbackType;
    if (type === NOT_SPAM) return { verdict: 'no_change', note: null, emailId };
    if (!COMPLAINT_TYPES.has(type) && !UNSUBSCRIBE_TYPES.has(type))
      return { verdict: 'kept', note: 'the type of the report is not a complaint', emailId };
    const ref = await reportedEmails.transactionOf(this.database, source);
    if (ref === null) return { ...NO_LONGER_STORED, emailId: null };
    const proved = { ref, report, proof: await prove(ref) };
    if (UNSUBSCRIBE_TYPES.has(type)) return this.unsubscribe(proved);
    return awaitSettled(() => this.database.transactionWithRetry((tx) => this.recordComplaint(tx, proved)));
  }

  private async recordComplaint(tx: Queryable, proved: ProvedReport): Promise<InboundResult | Unsettled> {
    const { ref, report } = proved;
    const found = await this.findRecipient(tx, proved);
    if ('verdict' in found) return found;
    const { email, chosen } = found;
    const { recipient } = chosen;
    const about = { emailId: ref.emailId };
    if (isUnfinished(recipient)) return { sending: recipient.status === 'sending' };
    const at = databaseClock.date();
    const complaint = {
      kind: 'complained',
      feedbackType: report.feedbackType,
      reporter: report.reporter,
      userAgent: report.userAgent === null ? null : printableText(report.userAgent).slice(0, AGENT_LENGTH),
    } as const;
    if (!(await reportedEmails.recordLate(tx, { email: email.info, recipient, at, report: complaint })))
      // A final status does not change (docs/decisions/018-status-and-events.md), but the operator should see this.
      return {
        ...about,
        verdict: 'final',
        note: recipient.status === 'complained' ? null : `after ${recipient.status}`,
      };
    const note = chosen.identified ? null : NAMES_OTHER_ADDRESS;
    if (simulator.isSimulated(email.info, recipient.address, this.config))
      return { ...about, verdict: 'applied', note };
    if (!systemMail.isOwn(email.info, this.config.settings.SERVICE_DOMAIN))
      await this.brakes.countReport(tx, email.info.accountId, 'complaint');
    if (chosen.identified)
      await this.suppress(tx, { email, address: recipient.address, type: report.feedbackType, at });
    return { ...about, verdict: 'applied', note };
  }

  /**
   * An opt-out is a statement of the recipient, so the report must name that recipient. It is applied once, like all
   * reports.
   */
  private async unsubscribe(proved: ProvedReport): Promise<InboundResult> {
    const about = { emailId: proved.ref.emailId };
    const found = await this.database.transactionWithRetry((tx) => this.findRecipient(tx, proved));
    if ('verdict' in found) return found;
    const { recipient, identified } = found.chosen;
    if (!identified) return { ...about, verdict: 'unmatched', note: RECIPIENT_NOT_NAMED };
    if (recipient.unsubscribed) return { ...about, verdict: 'final', note: null };
    await this.unsubscriptions.unsubscribeRecipient({ ...about, ordinal: recipient.ordinal });
    return { ...about, verdict: 'applied', note: null };
  }

  private async findRecipient(
    tx: Queryable,
    { ref, report, proof }: ProvedReport,
  ): Promise<{ email: ReportedEmail; chosen: ChosenRecipient } | InboundResult> {
    const about = { emailId: ref.emailId };
    const email = await reportedEmails.lock(tx, ref);
    if (email === null || email.recipients.length === 0) return { ...NO_LONGER_STORED, emailId: null };
    const chosen = chooseComplainer(email.recipients, report.recipients);
    if (chosen === null) return { ...about, verdict: 'unmatched', note: RECIPIENT_NOT_NAMED };
    if (!proof.proved) return { ...about, verdict: 'unproved', note: proof.reason };
    if (isTooOld(email.info, chosen.recipient)) return { ...about, verdict: 'expired', note: TOO_OLD };
    return { email, chosen };
  }

  private async suppress(
    tx: Queryable,
    { email, address, type, at }: { email: ReportedEmail; address: string; type: string; at: Date },
  ): Promise<void> {
    await this.suppressions.add(tx, {
      ...emailSuppressions.scope(email.info, this.config.settings.SERVICE_DOMAIN),
      address: normaliseAddress(address),
      origin: 'complaint',
      reason: type,
      sourceId: email.info.id,
      evidence: {
        email_id: email.info.id,
        recipient: address,
        smtp_code: null,
        enhanced_code: null,
        text: null,
        mx: null,
        feedback_type: type,
        at: at.toISOString(),
      },
    });
  }
}

const RECIPIENT_NOT_NAMED = 'the report does not name a recipient of the transaction';
