import type { Certainty, DeliveryPhase, ServerReply } from './delivery-outcome.js';
import type { ReplySubject } from './reply-classifier.js';
import type { RawReply } from './reply-reader.js';
import { toServerReply } from './server-reply.js';
import type { TransactionReport } from './smtp-transaction.js';

/** What one transaction means for one recipient. */
export type RecipientVerdict =
  | { kind: 'delivered'; reply: ServerReply }
  /** The peer refused; 4xx, 5xx, or words out of place. */
  | { kind: 'answered'; phase: DeliveryPhase; reply: ServerReply; subject: ReplySubject }
  /** No answer; `not_sent` may go to the next host at once. */
  | { kind: 'broken'; certainty: Exclude<Certainty, 'answered'>; phase: DeliveryPhase; reply: ServerReply }
  /** "Too many recipients": belongs into another transaction, at once. */
  | { kind: 'again'; reply: ServerReply };

const TOO_MANY = /\btoo many (?:recipients|rcpts?)\b/i;

/** Reads the verdict for the recipient at `index` of the envelope. Pure. */
export function recipientVerdict(report: TransactionReport, index: number): RecipientVerdict {
  const verdict = verdictInStep(report, index);
  const refusal = verdict.kind === 'answered' && verdict.reply.code !== null && verdict.reply.code >= 500;
  // It may be another recipient's: nobody bounces by mistake.
  return report.outOfStep && refusal ? broken(report) : verdict;
}

function verdictInStep(report: TransactionReport, index: number): RecipientVerdict {
  if (report.mail === null) return broken(report);
  if (!isPositive(report.mail)) return answered('mail', report.mail, 'sender');
  const rcpt = report.rcpt[index];
  if (rcpt === null) return broken(report);
  if (!isPositive(rcpt)) return refusedRecipient(report, rcpt);
  if (report.final === null) return broken(report);
  const { phase, reply } = report.final;
  if (phase === 'dot' && isPositive(reply)) return { kind: 'delivered', reply: toServerReply(reply) };
  return answered(phase, reply, report.rcpt.filter(isPositive).length > 1 ? 'several' : 'recipient');
}

/** "No more in this transaction" counts only with progress: a peer that says so to the first one would be asked for ever. */
function refusedRecipient(report: TransactionReport, rcpt: RawReply): RecipientVerdict {
  const verdict = answered('rcpt', rcpt, 'recipient');
  if (saysTooMany(verdict.reply) && report.rcpt.some(isPositive)) return { kind: 'again', reply: verdict.reply };
  return verdict;
}

/** RFC 5321 §4.5.3.1.10: 452 for one recipient too many, 552 by old servers, to be read as 452. */
export function saysTooMany({ code, enhanced, text }: ServerReply): boolean {
  if (code !== 452 && code !== 552 && code !== 451) return false;
  if (enhanced !== null && enhanced.endsWith('.5.3')) return true;
  return TOO_MANY.test(text) || (code === 452 && enhanced === null);
}

function answered(
  phase: DeliveryPhase,
  reply: RawReply,
  subject: ReplySubject,
): RecipientVerdict & { kind: 'answered' } {
  return { kind: 'answered', phase, reply: toServerReply(reply), subject };
}

function broken(report: TransactionReport): RecipientVerdict {
  const { failure, dotWritten } = report;
  if (failure === null) {
    const reply = { code: null, enhanced: '4.5.0', text: 'the dialogue ended without an answer' };
    return { kind: 'broken', certainty: 'not_sent', phase: 'mail', reply };
  }
  // A line that ends with words (421) is about the host, not about anybody in the envelope.
  if (failure.answered) return { kind: 'answered', phase: failure.phase, reply: failure.reply, subject: 'several' };
  const certainty = dotWritten ? 'unknown_outcome' : 'not_sent';
  return { kind: 'broken', certainty, phase: failure.phase, reply: failure.reply };
}

function isPositive(reply: RawReply | null): boolean {
  return reply !== null && reply.code !== null && reply.code < 300;
}
