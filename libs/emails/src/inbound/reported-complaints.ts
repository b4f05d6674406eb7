import { Injectable } from '@nestjs/common';
import { Config } from '#libs/kernel';
import { normaliseAddress } from '#libs/mime';
import { printableText } from '#libs/mta';
import { Database, retriedTransaction, type Queryable } from '#libs/persistence';
import { SuppressionList } from '#libs/suppressions';
import { recordLate } from '../ledger/late-report.js';
import type { TokenName } from '../mail-token.js';
import { ReturnPath } from '../return-path.js';
import { isSimulated } from '../simulator.js';
import { EmailUnsubscribe } from '../unsubscribe/email-unsubscribe.js';
import { chooseComplainer, NAMES_ANOTHER, type Chosen } from './choose-recipient.js';
import { complaintSource, type Feedback } from './complaint-source.js';
import type { Finding } from './finding.js';
import { isUnderWay, lockReported, type ReportedMail } from './reported-mail.js';
import { settled, type Unsettled } from './settled.js';
import { isTooOld, TOO_OLD } from './too-old.js';

/** RFC 5965 §7.3, and what others say for the same. */
const COMPLAINTS: ReadonlySet<string> = new Set([
  'abuse',
  'fraud',
  'virus',
  'spam',
  'phishing',
  'malware',
  'complaint',
]);
const UNSUBSCRIBES: ReadonlySet<string> = new Set(['opt-out', 'opt-out-list']);
/** RFC 6430: the recipient says that the mail was wanted. */
const WANTED = 'not-spam';
const AGENT_LENGTH = 255;

/** Complaints: `delivered` becomes `complained`, once, and no mail of the account goes there any more (D-50). */
@Injectable()
export class ReportedComplaints {
  constructor(
    private readonly database: Database,
    private readonly suppressions: SuppressionList,
    private readonly unsubscribes: EmailUnsubscribe,
    private readonly returnPath: ReturnPath,
    private readonly config: Config,
  ) {}

  /**
   * Resolves when it is on disk. `tokens`: the return paths that it was sent to.
   * @throws Refusal when our own delivery has not been written down yet.
   */
  async apply(report: Feedback, tokens: readonly TokenName[]): Promise<Finding> {
    const source = complaintSource(report, tokens, this.returnPath);
    if (source === 'unknown') return { verdict: 'unmatched', note: 'it proves no mail of ours', emailId: null };
    if (source === 'contradictory')
      return { verdict: 'unmatched', note: 'it speaks of two mails of ours', emailId: null };
    const { emailId } = source;
    const type = report.feedbackType;
    if (type === WANTED) return { verdict: 'no_change', note: null, emailId };
    if (COMPLAINTS.has(type))
      return settled(() => retriedTransaction(this.database, (tx) => this.complain(tx, source, report)));
    if (UNSUBSCRIBES.has(type)) return this.unsubscribe(source, report);
    return { verdict: 'kept', note: 'its type is no complaint', emailId };
  }

  private async complain(tx: Queryable, source: TokenName, report: Feedback): Promise<Finding | Unsettled> {
    const found = await this.find(tx, source, report);
    if ('verdict' in found) return found;
    const { mail, chosen } = found;
    const { recipient } = chosen;
    const about = { emailId: source.emailId };
    if (isUnderWay(recipient)) return { sending: recipient.status === 'sending' };
    const at = new Date();
    const complaint = {
      kind: 'complained',
      feedbackType: report.feedbackType,
      reporter: report.reporter,
      userAgent: report.userAgent === null ? null : printableText(report.userAgent).slice(0, AGENT_LENGTH),
    } as const;
    if (!(await recordLate(tx, { mail: mail.facts, recipient, at, report: complaint })))
      // D-28: a status that has ended stays; but somebody who complained is worth a look.
      return {
        ...about,
        verdict: 'final',
        note: recipient.status === 'complained' ? null : `after ${recipient.status}`,
      };
    const note = chosen.himself ? null : NAMES_ANOTHER;
    if (chosen.himself && !isSimulated(mail.facts, recipient.address, this.config))
      await this.suppress(tx, { mail, address: recipient.address, type: report.feedbackType, at });
    return { ...about, verdict: 'applied', note };
  }

  /** An opt-out is the recipient's word, so it must be he who is named; once, as all that is told by a report. */
  private async unsubscribe(source: TokenName, report: Feedback): Promise<Finding> {
    const about = { emailId: source.emailId };
    const found = await retriedTransaction(this.database, (tx) => this.find(tx, source, report));
    if ('verdict' in found) return found;
    const { recipient, himself } = found.chosen;
    if (!himself) return { ...about, verdict: 'unmatched', note: UNNAMED };
    if (recipient.unsubscribed) return { ...about, verdict: 'final', note: null };
    await this.unsubscribes.take({ emailId: source.emailId, ordinal: recipient.ordinal });
    return { ...about, verdict: 'applied', note: null };
  }

  private async find(
    tx: Queryable,
    source: TokenName,
    report: Feedback,
  ): Promise<{ mail: ReportedMail; chosen: Chosen } | Finding> {
    const about = { emailId: source.emailId };
    const mail = await lockReported(tx, source);
    if (mail === null || mail.recipients.length === 0)
      return { verdict: 'unmatched', note: 'the mail is not stored', emailId: null };
    const chosen = chooseComplainer(mail.recipients, report.recipients);
    if (chosen === null) return { ...about, verdict: 'unmatched', note: UNNAMED };
    if (isTooOld(mail.facts, chosen.recipient)) return { ...about, verdict: 'expired', note: TOO_OLD };
    return { mail, chosen };
  }

  private async suppress(
    tx: Queryable,
    { mail, address, type, at }: { mail: ReportedMail; address: string; type: string; at: Date },
  ): Promise<void> {
    await this.suppressions.add(tx, {
      accountId: mail.facts.accountId,
      address: normaliseAddress(address),
      origin: 'complaint',
      reason: type,
      sourceId: mail.facts.id,
      evidence: {
        email_id: mail.facts.id,
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

const UNNAMED = 'it does not name a recipient of the transaction';
