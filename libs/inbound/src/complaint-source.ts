import { isDeepStrictEqual } from 'node:util';
import type { ReturnPath, TransactionRef } from '#libs/emails';
import type { InboundReport } from '#libs/mime';

export type Feedback = Extract<InboundReport, { kind: 'feedback' }>;

/**
 * Returns the transaction that a complaint is about, from the trace in the returned message, the return path shown in
 * it, and the return paths that the report was sent to. All of them carry a MAC, and they must agree. A Message-ID
 * carries none: anyone who has seen the message or a reply to it could complain in the name of its recipient.
 */
export function complaintSource(
  { returned }: Feedback,
  refs: readonly TransactionRef[],
  returnPath: ReturnPath,
): TransactionRef | 'unknown' | 'contradictory' {
  const authentic = [
    returned.trace === null ? null : returnPath.readTrace(returned.trace),
    returned.returnPath === null ? null : returnPath.read(returned.returnPath),
    ...refs,
  ].filter((name) => name !== null);
  if (authentic.length === 0) return 'unknown';
  const [first] = authentic;
  return authentic.every((ref) => isDeepStrictEqual(ref, first)) ? first : 'contradictory';
}
