import { Injectable } from '@nestjs/common';
import { AbuseBrakes } from '#libs/accounts';
import { simulator, systemMail, ReturnPath, type TransactionRef } from '#libs/emails';
import { Config, databaseClock } from '#libs/kernel';
import type { InboundReport } from '#libs/mime';
import { Database, type Queryable } from '#libs/persistence';
import { type ReportedEmail, reportedEmails } from '#libs/queue';
import { SuppressionList } from '#libs/suppressions';
import { classifyBounce } from './classify-bounce.js';
import {
  chooseBouncedRecipients,
  isTooOld,
  isUnfinished,
  NAMES_OTHER_ADDRESS,
  TOO_OLD,
  type ChosenBounce,
} from './choose-recipient.js';
import { type InboundResult, awaitSettled, NO_LONGER_STORED, type Prove, type Unsettled } from './inbound-result.js';
import type { Proof } from './authentication/report-authenticator.js';

type DeliveryReport = Extract<InboundReport, { kind: 'delivery' }>;

/**
 * Bounces after delivery: `delivered` becomes `bounced`, once, and an address that does not exist is suppressed
 * (docs/decisions/028-inbound-reports.md).
 */
@Injectable()
export class ReportedBounces {
  constructor(
    private readonly database: Database,
    private readonly suppressions: SuppressionList,
    private readonly returnPath: ReturnPath,
    private readonly config: Config,
    private readonly brakes: AbuseBrakes,
  ) {}

  /**
   * Resolves when the bounce is committed. The MAC of `ref` has been verified; with several recipients in the transaction,
   * `prove` must find that the report comes from their mail system.
   * @throws Refusal if the delivery has not been recorded yet.
   */
  async apply(ref: TransactionRef, report: DeliveryReport, prove: Prove): Promise<InboundResult> {
    const about = { emailId: ref.emailId };
    // RFC 3464 §2.3.3: no other action means that delivery failed.
    if (!report.recipients.some(({ action }) => action === 'failed'))
      return { ...about, verdict: 'no_change', note: null };
    const traced = report.returned.trace === null ? null : this.returnPath.readTrace(report.returned.trace);
    if (traced !== null && traced.emailId !== ref.emailId)
      return {
        ...about,
        verdict: 'unmatched',
        note: 'the returned message is not the one that the return path belongs to',
      };
    const transaction = await reportedEmails.transactionOf(this.database, ref);
    if (transaction === null) return { ...about, ...NO_LONGER_STORED };
    const proof = await prove(transaction);
    return awaitSettled(() =>
      this.database.transactionWithRetry((tx) => this.applyInTransaction(tx, { ref: transaction, report, proof })),
    );
  }

  private async applyInTransaction(
    tx: Queryable,
    { ref, report, proof }: { ref: TransactionRef; report: DeliveryReport; proof: Proof },
  ): Promise<InboundResult | Unsettled> {
    const about = { emailId: ref.emailId };
    const email = await reportedEmails.lock(tx, ref);
    if (email === null || email.recipients.length === 0) return { ...about, ...NO_LONGER_STORED };
    const { chosen, unmatched } = chooseBouncedRecipients(email.recipients, report.recipients);
    if (chosen.length > 0 && !proof.proved) return { ...about, verdict: 'unproved', note: proof.reason };
    const unfinished = chosen.filter(({ recipient }) => isUnfinished(recipient));
    if (unfinished.length > 0) return { sending: unfinished.some(({ recipient }) => recipient.status === 'sending') };
    const recent = chosen.filter(({ recipient }) => !isTooOld(email.info, recipient));
    const applied: ChosenBounce[] = [];
    for (const match of recent)
      if (await this.recordBounce(tx, email, { ...match, from: report.reportingMta })) applied.push(match);
    if (applied.length > 0)
      return {
        ...about,
        verdict: 'applied',
        note: applied.some(({ identified }) => !identified) ? NAMES_OTHER_ADDRESS : null,
      };
    if (unmatched > 0) return { ...about, verdict: 'unmatched', note: RECIPIENT_UNKNOWN };
    return recent.length === 0
      ? { ...about, verdict: 'expired', note: TOO_OLD }
      : { ...about, verdict: 'final', note: null };
  }

  private async recordBounce(
    tx: Queryable,
    { info }: ReportedEmail,
    { recipient, identified, status, from }: ChosenBounce & { from: string | null },
  ): Promise<boolean> {
    const at = databaseClock.date();
    const { type, class: found, reply, mx } = classifyBounce(status, from);
    const { code, enhanced, text } = reply;
    const report = { kind: 'bounced', type, class: found, text, code, enhanced, mx, ip: null } as const;
    if (!(await reportedEmails.recordLate(tx, { email: info, recipient, at, report }))) return false;
    if (simulator.isSimulated(info, recipient.address, this.config)) return true;
    const { SERVICE_DOMAIN } = this.config.settings;
    if (type === 'hard' && !systemMail.isOwn(info, SERVICE_DOMAIN))
      await this.brakes.countReport(tx, info.accountId, 'hard_bounce');
    if (!identified) return true;
    const outcome = {
      recipient,
      status: 'bounced',
      bounceType: type,
      bounceClass: found,
      attempt: { class: found, reply, remote: { mx }, endedAt: at },
    } as const;
    const job = { email: info };
    const hardBounce = reportedEmails.hardBounceSuppression(job, outcome, SERVICE_DOMAIN);
    const entries = hardBounce
      ? [hardBounce]
      : await reportedEmails.fullMailboxSuppressions(tx, [{ job, outcome }], SERVICE_DOMAIN);
    for (const suppression of entries) await this.suppressions.add(tx, suppression);
    return true;
  }
}

const RECIPIENT_UNKNOWN = 'the report does not identify a recipient of the transaction';
