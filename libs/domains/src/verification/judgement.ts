import type { DnsAnswer } from '#libs/dns';

/** The evaluation of an answer about one record. `observed` is its value in DNS, `error` the problem and its solution. */
export interface Judgement {
  verdict: 'verified' | 'missing' | 'wrong';
  observed: string[];
  /** With `verified`: a warning. */
  error: string | null;
  /** The expected value, where it depends on the present one (SPF). */
  value?: string;
  /** If `value` needs more look-ups than receivers allow (SPF): the terms with look-ups, except ours. */
  costly?: string[];
}

/** An unanswered query (SERVFAIL, timeout) is no evidence, neither for nor against a record. */
export type Outcome = Judgement | { verdict: 'unanswered'; error: string };

export const verified = (observed: string[]): Judgement => ({ verdict: 'verified', observed, error: null });
export const missing = (error: string): Judgement => ({ verdict: 'missing', observed: [], error });
export const wrong = (observed: string[], error: string): Judgement => ({ verdict: 'wrong', observed, error });

/** Judges an answer. A record that does not exist has no values. */
export function judgeAnswer(answer: DnsAnswer, judge: (values: readonly string[]) => Judgement): Outcome {
  if (answer.kind === 'no_answer') return { verdict: 'unanswered', error: answer.reason };
  return judge(answer.kind === 'found' ? answer.values : []);
}
