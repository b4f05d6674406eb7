import { Refusal } from '#libs/contracts';
import type { ReportedTransaction } from '#libs/queue';
import type { Proof } from './authentication/report-authenticator.js';

/**
 * The result of processing one inbound message. `applied`: changed a recipient. `final`: the recipient's status was
 * final already, for example because the report was repeated or a bounce followed a complaint. `no_change`: contains
 * nothing that counts. `ignored`: an automatic reply. `expired`: about an email sent too long ago. `unmatched`: about
 * no known recipient, or the recipient is ambiguous. `unproved`: about one of several recipients, and nothing proves
 * that it comes from the mail system of that recipient. `kept`: left to the operator.
 */
export const INBOUND_VERDICTS = [
  'applied',
  'final',
  'no_change',
  'ignored',
  'expired',
  'unmatched',
  'unproved',
  'kept',
] as const;
export type InboundVerdict = (typeof INBOUND_VERDICTS)[number];

export interface InboundResult {
  verdict: InboundVerdict;
  /** The reason; contains no text of the inbound message except domain names. */
  note: string | null;
  /** The email that the message is about, if known. */
  emailId: string | null;
}

/** Decides whether a report about a transaction may name any of its recipients. */
export type Prove = (transaction: ReportedTransaction) => Promise<Proof>;

export const NO_LONGER_STORED = { verdict: 'unmatched', note: 'the mail is no longer stored' } as const;

/** True if an operator should look at the message. */
export const needsOperator = ({ verdict, note }: InboundResult): boolean =>
  ['kept', 'unmatched', 'unproved', 'expired'].includes(verdict) || (verdict === 'final' && note !== null);

/** The report arrived before the delivery was recorded. The sending server retries, and the report is applied then. */
const deliveryInProgress = (): Refusal =>
  new Refusal('service_unavailable', [], 'The mail that this reports is still under way here. Try again later.');

/** The delivery to the recipient is not recorded yet. `sending`: an attempt is running. */
export interface Unsettled {
  sending: boolean;
}

/** A settle takes a few milliseconds, unless the database is overloaded. */
const WAIT_MS = 500;
const RETRY_MS = 50;

/**
 * Some servers send their report before the settle has committed `delivered`. Retries for a while without an open
 * transaction in between, then asks the sending server to retry.
 * @throws Refusal
 */
export async function awaitSettled(apply: () => Promise<InboundResult | Unsettled>): Promise<InboundResult> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const found = await apply();
    if ('verdict' in found) return found;
    // Without a running attempt no outcome will be recorded soon.
    if (!found.sending || performance.now() > deadline) throw deliveryInProgress();
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
