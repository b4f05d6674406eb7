import { TargetRefused, TargetUnresolved } from './target-resolver.js';

/**
 * Why a call to an address that somebody chose got no answer. Coarse on purpose, without error numbers and addresses:
 * it is shown to customers and must not tell more about a network than a failed call has to.
 */
export type CallFailure = 'target_refused' | 'name_unresolved' | 'timeout' | 'tls_failed' | 'connection_failed';

const TIMEOUT_CODES = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);
const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|EPROTO$|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|CRL_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|PATH_LENGTH)/;

/** The class of an error that the HTTP client threw. */
export function callFailure(error: unknown): CallFailure {
  if (error instanceof TargetRefused) return 'target_refused';
  if (error instanceof TargetUnresolved) return 'name_unresolved';
  const { code } = error as { code?: string };
  if (TIMEOUT_CODES.has(code ?? '')) return 'timeout';
  return TLS_CODE.test(code ?? '') ? 'tls_failed' : 'connection_failed';
}
