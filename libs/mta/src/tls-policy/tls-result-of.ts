import type { SmtpConnection } from '../smtp-connection.js';
import type { SmtpFailure } from '../smtp-failure.js';
import type { PolicyFault, PublishedPolicy } from './host-policy.js';
import { certificateFault } from './proof-doubt.js';
import type { TlsResult } from './tls-result.js';

/**
 * What a report says of a session that was begun; null where it has nothing to say: no MX was spoken to, or the session
 * ended for reasons that have nothing to do with TLS.
 */
export function tlsResult(connection: SmtpConnection, failure: SmtpFailure | null): TlsResult | null {
  const { target, localAddress } = connection;
  const { published } = target.policy;
  if (published === null) return null;
  const tlsFailed = failure !== null && failure.phase === 'tls' && !failure.answered;
  if (failure !== null && !tlsFailed) return null;
  const fault = failure === null ? faultOf(connection, published) : failedBy(failure, published);
  return toResult(published, fault, { mx: target.host, ip: target.address, sourceIp: localAddress });
}

/** A host that was not spoken to at all, because the policy forbids it. */
export function refusedHost(published: PublishedPolicy, mx: string, fault: PolicyFault): TlsResult {
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

/** What would have failed, had the rule been stricter: a line that is in use may still be none that a policy wants. */
function faultOf({ target, secured }: SmtpConnection, published: PublishedPolicy): PolicyFault | null {
  if (target.tls === 'none') return { type: 'validation-failure', reason: 'the TLS handshake broke here lately' };
  if (secured === null) return { type: 'starttls-not-supported', reason: 'no STARTTLS' };
  if (published.fault !== null) return published.fault;
  // A policy in its test: nothing was asked for, but the domain wants to hear what would have happened.
  const isTest = published.type === 'sts' && target.proof.kind === 'none';
  return isTest && secured.doubt !== null ? certificateFault(secured.doubt) : null;
}

function failedBy({ tlsFault, reply }: SmtpFailure, { type }: PublishedPolicy): PolicyFault | null {
  // Only the sender's domain asked for a certificate: the receiver's TLS is as he promised, which is nothing.
  if (type === 'no-policy-found' && tlsFault?.startsWith('certificate-') === true) return null;
  return { type: tlsFault ?? 'validation-failure', reason: reply.text };
}
