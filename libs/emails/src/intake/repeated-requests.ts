import { BatchRefusal, orRefusal, Refusal, REFUSALS } from '#libs/contracts';
import type { AcceptResult } from './accept-request.js';
import type { AcceptGroups } from './accept-groups.js';
import type { Idempotency } from './submission.js';

/** A request as it was answered by the steps before. */
interface Attempted {
  outcome: AcceptResult | Refusal;
  /** False if it was refused by rules of the caller, before there was a submission. */
  isSubmitted: boolean;
}

/**
 * The last step of accepting: a refused request that repeats an accepted one is answered as that one was, although a rule may
 * refuse the same body later; for example, its `scheduled_at` is in the past by then. Stored answers are read only after a
 * refusal, so that a first request does not pay for it; the commit finds the repetitions that nothing refuses.
 */
export class RepeatedRequests {
  constructor(private readonly groups: Pick<AcceptGroups, 'earlierResult'>) {}

  /**
   * In the order of checks, the key stands between the rules of the caller and those of the intake
   * (docs/decisions/014-errors-and-order-of-checks.md): another body under it is `idempotency_mismatch` only for a request
   * that the rules of the caller permit.
   * @throws Refusal
   */
  async answer(idempotency: Idempotency | null, { outcome, isSubmitted }: Attempted): Promise<AcceptResult> {
    if (!(outcome instanceof Refusal)) return outcome;
    if (idempotency === null || !mayRepeat(outcome)) throw outcome;
    const earlier = await orRefusal(() => this.groups.earlierResult(idempotency));
    if (earlier === null) throw outcome;
    if (earlier instanceof Refusal) throw isSubmitted ? earlier : outcome;
    return earlier;
  }
}

/** The idempotency key may belong to a caller who sees more than this one, whose API key is refused its domain or email. */
const mayRepeat = (refusal: Refusal): boolean => refusal.code !== 'not_found' && !isOfTheKey(refusal);

/** Whether the restrictions of the API key are the reason, for a batch: of one of its elements. */
export function isOfTheKey(refusal: Refusal): boolean {
  if (refusal instanceof BatchRefusal)
    return refusal.problems.some(({ error }) => error === REFUSALS.restricted_api_key.error);
  return refusal.code === 'restricted_api_key';
}
