import { describe, expect, it } from 'vitest';
import type { DaneFinding } from './dane-lookup.js';
import { decidePolicy } from './decide-policy.js';
import type { PolicyDecision } from './decide-policy.js';
import type { StsFinding } from './sts-lookup.js';

const record = { usage: 3, selector: 1, matchingType: 1, data: Buffer.alloc(32, 7) };
const none: DaneFinding = { kind: 'none' };
const usable: DaneFinding = { kind: 'usable', records: [record], names: ['mx.to.test'] };
const unusable: DaneFinding = { kind: 'unusable', records: [{ ...record, usage: 1 }] };
const failed: DaneFinding = { kind: 'failed', reason: 'TLSA question: SERVFAIL' };

const absent: StsFinding = { policy: null, fault: null };
const lost: StsFinding = { policy: null, fault: { type: 'sts-policy-fetch-error', reason: 'timeout' } };
const sts = (mode: 'enforce' | 'testing' | 'none', mx = 'mx.to.test'): StsFinding => ({
  policy: { mode, mx: [mx], maxAgeSeconds: 60 },
  fault: null,
});

function summary(decision: PolicyDecision): string {
  if (decision.kind === 'unusable')
    return `unusable ${decision.published.type} ${decision.fault.type} ${decision.enhanced}`;
  const { type, fault } = decision.policy.published ?? { type: '', fault: null };
  return [decision.policy.name, decision.requirement.kind, type, ...(fault === null ? [] : [fault.type])].join(' ');
}

describe('the policy for a host', () => {
  it.each<[string, DaneFinding, StsFinding, string]>([
    ['nothing is published', none, absent, 'opportunistic none no-policy-found'],
    ['a policy cannot be fetched', none, lost, 'opportunistic none sts sts-policy-fetch-error'],
    ['a policy of mode none', none, sts('none'), 'opportunistic none no-policy-found'],
    ['a testing policy names the MX', none, sts('testing'), 'sts_testing none sts'],
    [
      'a testing policy does not name the MX',
      none,
      sts('testing', 'other.test'),
      'sts_testing none sts validation-failure',
    ],
    ['an enforced policy names the MX', none, sts('enforce'), 'sts webpki sts'],
    [
      'an enforced policy does not name the MX',
      none,
      sts('enforce', 'x.test'),
      'unusable sts validation-failure 4.7.0',
    ],
    ['TLSA records', usable, absent, 'dane tlsa tlsa'],
    ['TLSA records and an enforced policy', usable, sts('enforce'), 'dane tlsa tlsa'],
    ['TLSA records and a policy that does not name the MX', usable, sts('enforce', 'x.test'), 'dane tlsa tlsa'],
    ['unusable TLSA records', unusable, absent, 'dane encrypted tlsa tlsa-invalid'],
    ['unusable TLSA records and a testing policy', unusable, sts('testing'), 'dane encrypted tlsa tlsa-invalid'],
    ['unusable TLSA records and an enforced policy', unusable, sts('enforce'), 'sts webpki sts'],
    ['a failed TLSA query', failed, absent, 'unusable tlsa dnssec-invalid 4.4.3'],
    ['a failed TLSA query and an enforced policy', failed, sts('enforce'), 'unusable tlsa dnssec-invalid 4.4.3'],
  ])('%s', (_, dane, found, expected) => {
    expect(summary(decidePolicy({ domain: 'to.test', mxHost: 'mx.to.test', dane, sts: found }))).toBe(expected);
  });
});
