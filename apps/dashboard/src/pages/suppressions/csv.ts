import { ApiError, accountHeaders } from '../../api/http.ts';
import { downloadBlob } from '../../components/download.ts';

/** Fetched instead of linked, because a link cannot select the account. */
export async function exportSuppressions(): Promise<void> {
  const response = await fetch('/suppressions/export', { headers: accountHeaders() });
  if (!response.ok)
    throw new ApiError(`The export failed (${response.status}).`, response.status, 'unknown_error', null);
  downloadBlob('suppressions.csv', await response.blob());
}
