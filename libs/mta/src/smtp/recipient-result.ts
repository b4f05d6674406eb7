import type { Certainty, DeliveryPhase, ServerReply } from '../delivery-outcome.js';
import type { ReplySubject } from '../replies/reply-classifier.js';
import type { RawReply } from './reply-reader.js';
import { toServerReply } from '../replies/server-reply.js';
import type { TransactionReport } from './transaction.js';

/** The result of one transaction for one recipient. */
export type RecipientResult =
  | { kind: 'delivered'; reply: ServerReply }
  /** The server refused: 4xx, 5xx, or an unexpected reply. */
  | { kind: 'answered'; phase: DeliveryPhase; reply: ServerReply; subject: ReplySubject }
  /** No reply. `not_sent` may continue at the next host at once. */
  | { kind: 'broken'; certainty: Exclude<Certainty, 'answered'>; phase: DeliveryPhase; reply: ServerReply }
  /** "Too many recipients": belongs into another transaction, at once. */
  | { kind: 'again'; reply: ServerReply };

const TOO_MANY = /\btoo many (?:recipients|rcpts?)\b/i;

/** The result for the recipient at `index` of the envelope. Pure. */
export function recipientResult(report: TransactionReport, index: number): RecipientResult {
  const result = resultInStep(report, index);
  const refusal = result.kind === 'answered' && result.reply.code !== null && result.reply.code >= 500;
  // The refusal may belong to another recipient, so it must not bounce this one.
  return report.outOfStep && refusal ? broken(report) : result;
}

function resultInStep(report: TransactionReport, index: number): RecipientResult {
  if (report.mail === null) return broken(report);
  if (!isPositive(report.mail)) return answered('mail', report.mail, 'sender');
  const rcpt = report.rcpt[index];
  if (rcpt === null) return broken(report);
  if (!isPositive(rcpt)) return refusedRecipient(report, rcpt);
  if (report.final === null) return broken(report);
  const { phase, reply } = report.final;
  if (phase === 'dot' && isPositive(reply)) return { kind: 'delivered', reply: toServerReply(reply) };
  return answered(phase, reply, report.rcpt.filter(isPositive).length > 1 ? 'several' : 'content');
}

/**
 * A limit of recipients per transaction counts only after an accepted recipient; a server that refuses the first one
 * that way would be tried for ever.
 */
function refusedRecipient(report: TransactionReport, rcpt: RawReply): RecipientResult {
  const result = answered('rcpt', rcpt, 'recipient');
  if (isTooManyRecipients(result.reply) && report.rcpt.some(isPositive)) return { kind: 'again', reply: result.reply };
  return result;
}

/** RFC 5321 §4.5.3.1.10: 452 for one recipient too many; 552 of old servers means the same. */
export function isTooManyRecipients({ code, enhanced, text }: ServerReply): boolean {
  if (code !== 452 && code !== 552 && code !== 451) return false;
  if (enhanced !== null && enhanced.endsWith('.5.3')) return true;
  return TOO_MANY.test(text) || (code === 452 && enhanced === null);
}

function answered(
  phase: DeliveryPhase,
  reply: RawReply,
  subject: ReplySubject,
): RecipientResult & { kind: 'answered' } {
  return { kind: 'answered', phase, reply: toServerReply(reply), subject };
}

function broken(report: TransactionReport): RecipientResult {
  const { failure, dotWritten } = report;
  if (failure === null) {
    const reply = { code: null, enhanced: '4.5.0', text: 'the dialogue ended without an answer' };
    return { kind: 'broken', certainty: 'not_sent', phase: 'mail', reply };
  }
  // A connection that the server ends with a reply (421) concerns the host, not a recipient.
  if (failure.answered) return { kind: 'answered', phase: failure.phase, reply: failure.reply, subject: 'several' };
  const certainty = dotWritten ? 'unknown_outcome' : 'not_sent';
  return { kind: 'broken', certainty, phase: failure.phase, reply: failure.reply };
}

function isPositive(reply: RawReply | null): boolean {
  return reply !== null && reply.code !== null && reply.code < 300;
}
