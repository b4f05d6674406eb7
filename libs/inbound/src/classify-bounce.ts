import type { BounceType } from '#libs/contracts';
import type { DeliveryStatus } from '#libs/mime';
import { classifyReply, printableText, type BounceClass, type ReplySubject, type ServerReply } from '#libs/mta';

export interface ReportedBounce {
  type: BounceType;
  class: BounceClass;
  reply: ServerReply;
  mx: string | null;
}

/** RFC 3464 §2.3.3: the action `failed` is permanent, even if the report contains no code at all. */
const PERMANENT_CODE = 554;
const HOST_LENGTH = 255;

/** Postfix and Exim name the command that the quoted reply was given to. */
const REPLY_TO_CONTENT = /\b(?:in reply to (?:the )?|after )(?:end of )?data\b/i;
const REPLY_TO_SENDER = /\b(?:in reply to |after )mail from\b/i;

/** Without a command, the report is taken to be about the recipient that it names. */
function subjectOf(text: string): ReplySubject {
  if (REPLY_TO_SENDER.test(text)) return 'sender';
  return REPLY_TO_CONTENT.test(text) ? 'content' : 'recipient';
}

/**
 * Classifies a failure by the rules for SMTP replies, so that a bounce after delivery has the same class as a rejection
 * during delivery.
 */
export function classifyBounce(status: DeliveryStatus, reportingMta: string | null): ReportedBounce {
  const reply = { code: status.smtpCode, enhanced: status.status, text: printableText(status.text) };
  const classified = classifyReply(
    reply.code === null && reply.enhanced === null ? { ...reply, code: PERMANENT_CODE } : reply,
    subjectOf(reply.text),
  );
  // The failure was temporary until the other server gave up.
  const found = !classified.permanent && classified.class === 'deferral' ? 'expired' : classified.class;
  const mx = status.remoteMta ?? reportingMta;
  return {
    type: classified.bounceType,
    class: found,
    reply,
    mx: mx === null ? null : printableText(mx).slice(0, HOST_LENGTH),
  };
}
