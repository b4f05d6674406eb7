import type { BounceType } from '#libs/contracts';
import type { DeliveryStatus } from '#libs/mime';
import { classifyReply, printableText, type BounceClass, type ServerReply } from '#libs/mta';

export interface ReportedBounce {
  type: BounceType;
  class: BounceClass;
  reply: ServerReply;
  mx: string | null;
}

/** "Failed" is final, whatever a report that has no code at all leaves out (RFC 3464 §2.3.3). */
const FINAL = 554;
const HOST_LENGTH = 255;

/** The class of a failure by the rules for replies (D-50), so that a late bounce means what an early one does. */
export function bounceOf(status: DeliveryStatus, reportingMta: string | null): ReportedBounce {
  const reply = { code: status.smtpCode, enhanced: status.status, text: printableText(status.text) };
  const verdict = classifyReply(reply.code === null && reply.enhanced === null ? { ...reply, code: FINAL } : reply);
  // What was temporary there until the other server gave up.
  const found = !verdict.permanent && verdict.class === 'deferral' ? 'expired' : verdict.class;
  const mx = status.remoteMta ?? reportingMta;
  return {
    type: verdict.bounceType,
    class: found,
    reply,
    mx: mx === null ? null : printableText(mx).slice(0, HOST_LENGTH),
  };
}
