import { CALL_ERRORS } from '../../generated/constants.ts';

/** How a call ended: the status of the response, or why there is none. */
export function callResult(status: number | null, error: string | null): string {
  if (status !== null) return `HTTP ${status}`;
  return error === null ? '–' : (CALL_ERRORS[error as keyof typeof CALL_ERRORS] ?? error);
}
