import { SmtpFailure } from '../smtp-failure.js';
import type { FailureDetails } from '../smtp-failure.js';
import type { Target } from '../target.js';
import type { PolicyFault } from './host-policy.js';
import { lineFacts } from './secured-line.js';
import type { SecuredLine } from './secured-line.js';

/** RFC 5248: "encryption needed". */
const ENCRYPTION_NEEDED = '4.7.10';
/** RFC 3463 §3.8: "cryptographic failure". */
const CRYPTOGRAPHIC_FAILURE = '4.7.5';

/** The line stays in the clear where its rule forbids that. `reason`: what the host did. */
export function unencrypted(target: Target, reason: string): SmtpFailure {
  return policyFailure(target, { type: 'starttls-not-supported', reason }, {});
}

/** The line is encrypted, but the host did not prove who it is. */
export function unproved(target: Target, fault: PolicyFault, line: SecuredLine): SmtpFailure {
  return policyFailure(target, fault, { line: { ...lineFacts(line), verified: false } });
}

/** A handshake that broke on a line that must not do without. */
export function brokenHandshake(target: Target, { reply, timedOut }: SmtpFailure): SmtpFailure {
  const reason = `the TLS handshake failed (${reply.text})`;
  return policyFailure(target, { type: 'validation-failure', reason }, { timedOut });
}

function policyFailure(
  target: Target,
  { type, reason }: PolicyFault,
  details: Pick<FailureDetails, 'timedOut' | 'line'>,
): SmtpFailure {
  const text = `${target.host} (${target.address}): ${reason}; ${demandOf(target)}`;
  const enhanced = type === 'starttls-not-supported' ? ENCRYPTION_NEEDED : CRYPTOGRAPHIC_FAILURE;
  return new SmtpFailure({
    phase: 'tls',
    reply: { code: null, enhanced, text },
    class: 'transport_policy',
    tlsFault: type,
    ...details,
  });
}

/** Whose wish it is. */
function demandOf({ policy, proof }: Target): string {
  const domain = policy.published?.domain ?? '';
  switch (policy.name) {
    case 'enforced':
      return 'the domain of the sender has TLS enforced, so a certificate for the name of the host is needed';
    case 'sts':
      return `the MTA-STS policy of ${domain} needs a certificate for the name of the host`;
    case 'dane':
      return proof.kind === 'encrypted'
        ? 'its TLSA records need TLS (DANE)'
        : 'its TLSA records need a certificate that they name (DANE)';
    case 'sts_testing':
    case 'opportunistic':
      return 'credentials cross the internet only to a host that proves its name over TLS';
  }
}
