import type { InboundReport } from '#libs/mime';
import type { TokenName } from '../mail-token.js';
import type { ReturnPath } from '../return-path.js';

export type Feedback = Extract<InboundReport, { kind: 'feedback' }>;

/**
 * Which transaction a complaint is about: by the trace in the returned mail, the return path that it shows, the return path
 * that the report came to. All of them have a MAC, and they must agree. A Message-ID has none: whoever has seen the mail, or
 * an answer to it, could complain in the name of its recipient.
 */
export function complaintSource(
  { returned }: Feedback,
  tokens: readonly TokenName[],
  returnPath: ReturnPath,
): TokenName | 'unknown' | 'contradictory' {
  const proved = [
    returned.trace === null ? null : returnPath.readTrace(returned.trace),
    returned.returnPath === null ? null : returnPath.read(returned.returnPath),
    ...tokens,
  ].filter((name) => name !== null);
  if (proved.length === 0) return 'unknown';
  const [first] = proved;
  const same = proved.every(({ emailId, ordinal }) => emailId === first.emailId && ordinal === first.ordinal);
  return same ? first : 'contradictory';
}
