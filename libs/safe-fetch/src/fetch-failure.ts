import { TargetRefused, TargetUnresolved } from './target-resolver.js';

/**
 * Why a request to a customer's URL got no response. Coarse, without error numbers and addresses: it is shown to
 * customers and must disclose nothing about our network.
 */
export type ConnectionFailure = 'target_refused' | 'name_unresolved' | 'timeout' | 'tls_failed' | 'connection_failed';

/** Why no request was made: too many others are running, or the result is no longer needed. */
export type PermitFailure = 'busy' | 'aborted';

/** Why nothing was fetched; may be shown to the customer who gave the URL. */
export type FetchFailure =
  | ConnectionFailure
  | PermitFailure
  | 'redirect_not_followed'
  | 'status_not_200'
  | 'encoding_not_identity'
  | 'too_large';

const TIMEOUT_CODES = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);
const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|EPROTO$|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|CRL_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|PATH_LENGTH)/;

/** Classifies an error that the HTTP client threw. */
export function connectionFailure(error: unknown): ConnectionFailure {
  if (error instanceof TargetRefused) return 'target_refused';
  if (error instanceof TargetUnresolved) return 'name_unresolved';
  const { code } = error as { code?: string };
  if (TIMEOUT_CODES.has(code ?? '')) return 'timeout';
  return TLS_CODE.test(code ?? '') ? 'tls_failed' : 'connection_failed';
}
