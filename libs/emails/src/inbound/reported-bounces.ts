import { Injectable } from '@nestjs/common';
import { Config } from '#libs/kernel';
import type { InboundReport } from '#libs/mime';
import { Database, retriedTransaction, type Queryable } from '#libs/persistence';
import { SuppressionList } from '#libs/suppressions';
import { fullMailboxes } from '../ledger/full-mailbox.js';
import { hardBounce } from '../ledger/hard-bounce.js';
import { recordLate } from '../ledger/late-report.js';
import type { TokenName } from '../mail-token.js';
import { ReturnPath } from '../return-path.js';
import { isSimulated } from '../simulator.js';
import { bounceOf } from './bounce-of.js';
import { chooseBounced, NAMES_ANOTHER, type ChosenBounce } from './choose-recipient.js';
import type { Finding } from './finding.js';
import { isUnderWay, lockReported, type ReportedMail } from './reported-mail.js';
import { settled, type Unsettled } from './settled.js';
import { isTooOld, TOO_OLD } from './too-old.js';

type DeliveryReport = Extract<InboundReport, { kind: 'delivery' }>;

/** Bounces that come after delivery: `delivered` becomes `bounced`, once, and a dead address is suppressed (M-33). */
@Injectable()
export class ReportedBounces {
  constructor(
    private readonly database: Database,
    private readonly suppressions: SuppressionList,
    private readonly returnPath: ReturnPath,
    private readonly config: Config,
  ) {}

  /**
   * Resolves when it is on disk. `name` has been proved by its MAC.
   * @throws Refusal when our own delivery has not been written down yet.
   */
  async apply(name: TokenName, report: DeliveryReport): Promise<Finding> {
    const about = { emailId: name.emailId };
    // RFC 3464 §2.3.3: all else is no failure, or not yet one.
    if (!report.recipients.some(({ action }) => action === 'failed'))
      return { ...about, verdict: 'no_change', note: null };
    const traced = report.returned.trace === null ? null : this.returnPath.readTrace(report.returned.trace);
    if (traced !== null && traced.emailId !== name.emailId)
      return {
        ...about,
        verdict: 'unmatched',
        note: 'it returns another mail than the one whose return path it came to',
      };
    return settled(() => retriedTransaction(this.database, (tx) => this.write(tx, name, report)));
  }

  private async write(tx: Queryable, name: TokenName, report: DeliveryReport): Promise<Finding | Unsettled> {
    const about = { emailId: name.emailId };
    const mail = await lockReported(tx, name);
    if (mail === null || mail.recipients.length === 0)
      return { ...about, verdict: 'unmatched', note: 'the mail is no longer stored' };
    const { chosen, missed } = chooseBounced(mail.recipients, report.recipients);
    const underWay = chosen.filter(({ recipient }) => isUnderWay(recipient));
    if (underWay.length > 0) return { sending: underWay.some(({ recipient }) => recipient.status === 'sending') };
    const recent = chosen.filter(({ recipient }) => !isTooOld(mail.facts, recipient));
    const applied: ChosenBounce[] = [];
    for (const one of recent)
      if (await this.writeOne(tx, mail, { ...one, from: report.reportingMta })) applied.push(one);
    if (applied.length > 0)
      return { ...about, verdict: 'applied', note: applied.some(({ himself }) => !himself) ? NAMES_ANOTHER : null };
    if (missed > 0) return { ...about, verdict: 'unmatched', note: MISSED };
    return recent.length === 0
      ? { ...about, verdict: 'expired', note: TOO_OLD }
      : { ...about, verdict: 'final', note: null };
  }

  private async writeOne(
    tx: Queryable,
    { facts }: ReportedMail,
    { recipient, himself, status, from }: ChosenBounce & { from: string | null },
  ): Promise<boolean> {
    const at = new Date();
    const { type, class: found, reply, mx } = bounceOf(status, from);
    const { code, enhanced, text } = reply;
    const report = { kind: 'bounced', type, class: found, text, code, enhanced, mx, ip: null } as const;
    if (!(await recordLate(tx, { mail: facts, recipient, at, report }))) return false;
    if (!himself || isSimulated(facts, recipient.address, this.config)) return true;
    const verdict = {
      recipient,
      status: 'bounced',
      bounceType: type,
      bounceClass: found,
      outcome: { class: found, reply, remote: { mx }, endedAt: at },
    } as const;
    const entry = hardBounce({ mail: facts }, verdict);
    const entries = entry ? [entry] : await fullMailboxes(tx, [{ job: { mail: facts }, verdict }]);
    for (const one of entries) await this.suppressions.add(tx, one);
    return true;
  }
}

const MISSED = 'it does not say which recipient of the transaction it is about';
