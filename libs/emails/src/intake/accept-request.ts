import type { EmailRows } from './insert-emails.js';
import type { Idempotency } from './submission.js';

/** One request in the accept transaction: a message, or the messages of a batch. */
export interface AcceptRequest {
  accountId: string;
  emails: EmailRows[];
  /** Units of the monthly allowance, one number per message. */
  units: number[];
  /** Units per month of the account; null: unlimited. */
  limit: number | null;
  /** False: all messages or none. True: those for which the allowance suffices. */
  partial: boolean;
  idempotency: Idempotency | null;
  /** The answer to store under the idempotency key. */
  answer: (written: ReadonlySet<EmailRows>) => unknown;
}

export interface AcceptResult {
  /** True if nothing was written; `answer` is then the answer to the first request with this key. */
  replayed: boolean;
  answer: unknown;
  emails: ReadonlySet<EmailRows>;
}

export const bodyBytes = ({ emails }: AcceptRequest): number =>
  emails.reduce((sum, { content }) => sum + content.body.length, 0);
