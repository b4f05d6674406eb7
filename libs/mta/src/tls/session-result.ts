import type { SmtpConnection } from '../smtp/connection.js';
import type { SmtpFailure } from '../smtp/failure.js';
import type { PolicyFault, PublishedPolicy } from './host-policy.js';
import { certificateFault } from './verify-requirement.js';
import type { TlsResult } from './tls-result.js';

/**
 * The TLS result of a session for the report. Null if it does not belong there: the host is no MX, or the session ended
 * for reasons other than TLS.
 */
export function sessionResult(connection: SmtpConnection, failure: SmtpFailure | null): TlsResult | null {
  const { endpoint, localAddress } = connection;
  const { published } = endpoint.policy;
  if (published === null) return null;
  const tlsFailed = failure !== null && failure.phase === 'tls' && !failure.answered;
  if (failure !== null && !tlsFailed) return null;
  const fault = failure === null ? faultOf(connection, published) : failedBy(failure, published);
  return toResult(published, fault, { mx: endpoint.host, ip: endpoint.address, sourceIp: localAddress });
}

/** The result for a host that was not connected to, because the policy forbids it. */
export function refusedHostResult(published: PublishedPolicy, mx: string, fault: PolicyFault): TlsResult {
  return toResult(published, fault, { mx, ip: null, sourceIp: null });
}

function toResult(
  { domain, type, strings, mxPatterns }: PublishedPolicy,
  fault: PolicyFault | null,
  line: Pick<TlsResult, 'mx' | 'ip' | 'sourceIp'>,
): TlsResult {
  return {
    policyDomain: domain,
    policyType: type,
    policyStrings: [...strings],
    mxPatterns: [...mxPatterns],
    ...line,
    success: fault === null,
    resultType: fault?.type ?? null,
    failureReason: fault?.reason ?? null,
  };
}

/** The fault of a session that was used although it would not meet a stricter policy. */
function faultOf({ endpoint, tlsSession: secured }: SmtpConnection, published: PublishedPolicy): PolicyFault | null {
  if (endpoint.tls === 'none') return { type: 'validation-failure', reason: 'the TLS handshake broke here lately' };
  if (secured === null) return { type: 'starttls-not-supported', reason: 'no STARTTLS' };
  if (published.fault !== null) return published.fault;
  // A policy in mode `testing` requires nothing, but the domain wants reports of the failures in `enforce`.
  const isTest = published.type === 'sts' && endpoint.requirement.kind === 'none';
  return isTest && secured.certificateProblem !== null ? certificateFault(secured.certificateProblem) : null;
}

function failedBy({ tlsFault, reply }: SmtpFailure, { type }: PublishedPolicy): PolicyFault | null {
  // Only the sender's domain required a certificate. The receiver published no policy, so it has not failed.
  if (type === 'no-policy-found' && tlsFault?.startsWith('certificate-') === true) return null;
  return { type: tlsFault ?? 'validation-failure', reason: reply.text };
}
