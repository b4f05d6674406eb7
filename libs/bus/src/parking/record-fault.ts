import { databaseErrors } from '#libs/persistence';

/**
 * `transient`: the engine or the network failed, so that a repetition may succeed. `record`: the data itself was refused.
 * `unknown`: neither is certain.
 */
export type FaultKind = 'transient' | 'record' | 'unknown';

/** Data exceptions, integrity violations and limits of a statement (PostgreSQL, appendix A: classes 22, 23, 54). */
const REFUSED_VALUES = /^(22|23|54)[0-9A-Z]{3}$/;

/** @param isRecordFault further errors that a consumer knows to be about the data */
export function faultKind(error: unknown, isRecordFault: (error: unknown) => boolean = () => false): FaultKind {
  if (isRecordFault(error) || isOfOurCode(error) || REFUSED_VALUES.test(codeOf(error))) return 'record';
  return databaseErrors.isUnavailable(error) || databaseErrors.isRetryable(error) ? 'transient' : 'unknown';
}

/** Our code does not expect this data. The error of a failed request (`fetch failed`) is a TypeError with a cause. */
function isOfOurCode(error: unknown): boolean {
  const isKind = [TypeError, RangeError, SyntaxError, URIError].some((kind) => error instanceof kind);
  return isKind && (error as Error).cause === undefined && codeOf(error) === '';
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
