import { Refusal } from '#libs/contracts';

/**
 * What became of one message of the inbound door: `applied`: it changed a recipient; `final`: his status had ended already
 * (a replay, a bounce after a complaint); `no_change`: it says nothing that counts; `ignored`: a machine's answer;
 * `expired`: about a mail that went out too long ago; `unmatched`: about none of our recipients, or nobody can say which;
 * `kept`: for people.
 */
export type InboundVerdict = 'applied' | 'final' | 'no_change' | 'ignored' | 'expired' | 'unmatched' | 'kept';

export interface Finding {
  verdict: InboundVerdict;
  /** Why, in words of ours alone. */
  note: string | null;
  /** The mail that it speaks of, where that is known. */
  emailId: string | null;
}

/** D-64: what these are about, an operator has to find out. */
export const isForOperator = ({ verdict, note }: Finding): boolean =>
  verdict === 'kept' || verdict === 'unmatched' || verdict === 'expired' || (verdict === 'final' && note !== null);

/**
 * The other server was faster than the writing of our own delivery: its report counts once that is on disk, and it comes
 * again.
 */
export const tooEarly = (): Refusal =>
  new Refusal('service_unavailable', [], 'The mail that this reports is still under way here. Try again later.');
