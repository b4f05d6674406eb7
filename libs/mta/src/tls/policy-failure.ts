import { SmtpFailure } from '../smtp/failure.js';
import type { FailureDetails } from '../smtp/failure.js';
import type { MxEndpoint } from '../routing/mx-endpoint.js';
import type { PolicyFault } from './host-policy.js';
import { tlsFacts } from './tls-session.js';
import type { TlsSession } from './tls-session.js';

/** RFC 5248: "encryption needed". */
const ENCRYPTION_NEEDED = '4.7.10';
/** RFC 3463 §3.8: "cryptographic failure". */
const CRYPTOGRAPHIC_FAILURE = '4.7.5';

/** The connection is in plain text, which the policy forbids. @param reason The behaviour of the host. */
export function unencrypted(endpoint: MxEndpoint, reason: string): SmtpFailure {
  return policyFailure(endpoint, { type: 'starttls-not-supported', reason }, {});
}

/** The connection is encrypted, but the certificate of the host could not be verified. */
export function unverified(endpoint: MxEndpoint, fault: PolicyFault, line: TlsSession): SmtpFailure {
  return policyFailure(endpoint, fault, { line: { ...tlsFacts(line), verified: false } });
}

/** A TLS handshake failed although the policy requires TLS. */
export function brokenHandshake(endpoint: MxEndpoint, { reply, timedOut }: SmtpFailure): SmtpFailure {
  const reason = `the TLS handshake failed (${reply.text})`;
  return policyFailure(endpoint, { type: 'validation-failure', reason }, { timedOut });
}

function policyFailure(
  endpoint: MxEndpoint,
  { type, reason }: PolicyFault,
  details: Pick<FailureDetails, 'timedOut' | 'line'>,
): SmtpFailure {
  const text = `${endpoint.host} (${endpoint.address}): ${reason}; ${requirementText(endpoint)}`;
  const enhanced = type === 'starttls-not-supported' ? ENCRYPTION_NEEDED : CRYPTOGRAPHIC_FAILURE;
  return new SmtpFailure({
    phase: 'tls',
    reply: { code: null, enhanced, text },
    class: 'transport_policy',
    tlsFault: type,
    ...details,
  });
}

/** The requirement and its origin, as text. */
function requirementText({ policy, requirement }: MxEndpoint): string {
  const domain = policy.published?.domain ?? '';
  switch (policy.name) {
    case 'enforced':
      return 'the domain of the sender has TLS enforced, so a certificate for the name of the host is needed';
    case 'sts':
      return `the MTA-STS policy of ${domain} needs a certificate for the name of the host`;
    case 'dane':
      return requirement.kind === 'encrypted'
        ? 'its TLSA records need TLS (DANE)'
        : 'its TLSA records need a certificate that they name (DANE)';
    case 'sts_testing':
    case 'opportunistic':
      return 'credentials cross the internet only to a host that proves its name over TLS';
  }
}
