import type { SuppressionEvidence } from './suppression-evidence.js';
import type { SuppressionOrigin } from './suppression.entity.js';

/** An entry to be made. */
export interface NewSuppression {
  accountId: string;
  /** As `normaliseAddress` of mime leaves it. */
  address: string;
  origin: SuppressionOrigin;
  /** For people. */
  reason: string | null;
  /** The mail that led here. */
  sourceId: string | null;
  /** Absent: for ever. */
  expiresAt?: Date | null;
  /** The sending domain whose mail it stops; absent: all mail of the account. The caller knows that it is the account's. */
  domainId?: string | null;
  evidence?: SuppressionEvidence | null;
}
