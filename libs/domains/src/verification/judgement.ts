import type { DnsAnswer } from './dns-server.js';

/** What one server's answer says about one record. `observed` is what stands in DNS, `error` what to do about it. */
export interface Judgement {
  verdict: 'verified' | 'missing' | 'wrong';
  observed: string[];
  /** With `verified`: a warning. */
  error: string | null;
  /** What should stand there, where that follows from what does (SPF). */
  value?: string;
  /** Where `value` costs more look-ups than receivers allow (SPF): the terms that do, ours left out. */
  costly?: string[];
}

/** A question that DNS left open (SERVFAIL, a timeout) is no evidence, neither for nor against. */
export type Outcome = Judgement | { verdict: 'unanswered'; error: string };

export const verified = (observed: string[]): Judgement => ({ verdict: 'verified', observed, error: null });
export const missing = (error: string): Judgement => ({ verdict: 'missing', observed: [], error });
export const wrong = (observed: string[], error: string): Judgement => ({ verdict: 'wrong', observed, error });

/** The judgement of an answer; what does not exist has no values. */
export function judged(answer: DnsAnswer, judge: (values: readonly string[]) => Judgement): Outcome {
  if (answer.kind === 'no_answer') return { verdict: 'unanswered', error: answer.reason };
  return judge(answer.kind === 'found' ? answer.values : []);
}
