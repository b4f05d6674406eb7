export type Status = 'ok' | 'warning' | 'error' | 'skipped';

/** What one look found. */
export interface Finding {
  /** Name of the check, as `--only` takes it. */
  check: string;
  /** `skipped`: it could not be found out, which says nothing for or against. */
  status: Status;
  /** What was looked at: an address, a name, a file, a setting. */
  subject: string;
  /** One or two sentences: what is so, and what follows from it. */
  message: string;
  /** What to do, ready to be copied where that is possible; may have several lines. Null: nothing. */
  fix: string | null;
  /** What was measured or read, for programs. */
  facts: Readonly<Record<string, unknown>>;
}

/** A finding before the runner puts the name of its check to it. */
export type Remark = Omit<Finding, 'check'>;

interface Told {
  subject: string;
  message: string;
  facts?: Readonly<Record<string, unknown>>;
}
interface Broken extends Told {
  fix: string;
}

export const ok = ({ subject, message, facts = {} }: Told): Remark => ({
  status: 'ok',
  subject,
  message,
  fix: null,
  facts,
});
export const warning = ({ facts = {}, ...told }: Broken): Remark => ({ status: 'warning', ...told, facts });
export const error = ({ facts = {}, ...told }: Broken): Remark => ({ status: 'error', ...told, facts });
export const skipped = ({ subject, message, facts = {}, fix = null }: Told & { fix?: string | null }): Remark => ({
  status: 'skipped',
  subject,
  message,
  fix,
  facts,
});

/** DNS left a question open: no evidence, neither for nor against. */
export const unanswered = (subject: string, reason: string): Remark =>
  skipped({
    subject,
    message: `DNS did not say: ${reason}.`,
    fix: 'See what is said of the name servers, then run doctor again.',
  });
