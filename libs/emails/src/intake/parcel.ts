import type { MailRows } from './insert-mails.js';
import type { Idempotency } from './submission.js';

/** What one request brings to the accept transaction: a mail, or the mails of a batch. */
export interface Parcel {
  accountId: string;
  mails: MailRows[];
  /** Units of the monthly allowance, one number per mail. */
  units: number[];
  /** Units per month of the account; null: unlimited. */
  limit: number | null;
  /** False: all mails or none. True: those for which the allowance suffices. */
  partial: boolean;
  idempotency: Idempotency | null;
  /** What the idempotency key will answer to a repetition. */
  answer: (written: ReadonlySet<MailRows>) => unknown;
}

export interface Written {
  /** True: nothing was written, and `answer` is that of the key's first request. */
  replayed: boolean;
  answer: unknown;
  mails: ReadonlySet<MailRows>;
}
