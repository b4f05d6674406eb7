import type { InboundReport } from '#libs/mime';
import type { TokenName } from '../mail-token.js';
import type { ReturnPath } from '../return-path.js';
import type { ReportedRef } from './reported-mail.js';

export type Feedback = Extract<InboundReport, { kind: 'feedback' }>;

/** How a complaint was led back to a mail of ours. */
export interface ComplaintSource extends ReportedRef {
  /** Of a Message-ID; the mail must have it. */
  messageId: string | null;
}

/** The Message-ID of a mail that we composed: the random id of the mail before the @. */
const OWN_MESSAGE_ID = /^<([0-9a-f]{32})@[^<>@\s]{1,255}>$/;

/**
 * Which mail a complaint is about: by the trace in the returned mail, the return path that it shows, the return path that
 * the report came to; all of them have a MAC, and they must agree. Else by a Message-ID of ours, which has none: 62 random
 * bits in it say that whoever reports has seen the mail or an answer to it, and a recipient of the mail must be named with
 * it. What is a customer's own Message-ID may be guessed and proves nothing.
 */
export function complaintSource(
  { returned }: Feedback,
  tokens: readonly TokenName[],
  returnPath: ReturnPath,
): ComplaintSource | 'unknown' | 'contradictory' {
  const proved = [
    returned.trace === null ? null : returnPath.readTrace(returned.trace),
    returned.returnPath === null ? null : returnPath.read(returned.returnPath),
    ...tokens,
  ].filter((name) => name !== null);
  if (proved.length > 0) {
    const [first] = proved;
    const same = proved.every(({ emailId, ordinal }) => emailId === first.emailId && ordinal === first.ordinal);
    return same ? { ...first, messageId: null } : 'contradictory';
  }
  const own = OWN_MESSAGE_ID.exec(returned.messageId ?? '');
  return own ? { emailId: `em_${own[1]}`, ordinal: null, messageId: returned.messageId } : 'unknown';
}
