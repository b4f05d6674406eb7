import type { CheckContext } from './context.js';

/** One subject of the report, such as SPF or the disk. */
export interface Check {
  /** As `--only` accepts it. */
  name: string;
  /** Heading in the report. */
  title: string;
  /** With DELIVERY_MODE=capture, errors of this check are reported as warnings. */
  isAboutDelivery?: true;
  /** It looks at the domain of `--domain` as well. */
  takesDomain?: true;
  /** May throw, which is reported as `skipped`. Everything it waits for must end when `context.signal` aborts. */
  run: (context: CheckContext) => Promise<Result[]>;
}

/** `skipped`: not determined; no evidence for or against. */
export type Status = 'ok' | 'warning' | 'error' | 'skipped';

/** One line of the report, without the name of the check. */
export interface Result {
  status: Status;
  /** The address, name, file or setting that was examined. */
  subject: string;
  /** One or two sentences: the fact and its consequence. */
  message: string;
  /** What to do, ready to be copied where possible; may have several lines. Null: nothing. */
  fix: string | null;
  /** Measured values, for programs. */
  facts: Readonly<Record<string, unknown>>;
}

/** A result in the JSON output. */
export interface CheckResult extends Result {
  /** Name of the check. */
  check: string;
}

interface Details {
  subject: string;
  message: string;
  facts?: Readonly<Record<string, unknown>>;
}
interface DetailsWithFix extends Details {
  fix: string;
}

export const ok = ({ subject, message, facts = {} }: Details): Result => ({
  status: 'ok',
  subject,
  message,
  fix: null,
  facts,
});
export const warning = ({ facts = {}, ...details }: DetailsWithFix): Result => ({
  status: 'warning',
  ...details,
  facts,
});
export const error = ({ facts = {}, ...details }: DetailsWithFix): Result => ({ status: 'error', ...details, facts });
export const skipped = ({ subject, message, facts = {}, fix = null }: Details & { fix?: string | null }): Result => ({
  status: 'skipped',
  subject,
  message,
  fix,
  facts,
});

/** A DNS query failed: no evidence for or against. */
export const unanswered = (subject: string, reason: string): Result =>
  skipped({
    subject,
    message: `DNS did not say: ${reason}.`,
    fix: 'See the results of the name servers, then run doctor again.',
  });
