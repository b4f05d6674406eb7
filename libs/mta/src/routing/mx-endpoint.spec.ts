import { describe, expect, it } from 'vitest';
import {
  withVerifiedTls,
  withSource,
  withoutTls,
  allowsPlaintext,
  toEndpoint,
  withOptionalTls,
} from './mx-endpoint.js';
import type { MxEndpoint } from './mx-endpoint.js';
import { NO_REQUIREMENT } from '../tls/tls-requirement.js';

const tlsa = (fill: number) => ({ usage: 3, selector: 1, matchingType: 1, data: Buffer.alloc(32, fill) });
const published = { domain: 'to.test', type: 'no-policy-found', strings: [], mxPatterns: [], fault: null } as const;

const endpoint = (over: Partial<MxEndpoint> = {}): MxEndpoint =>
  toEndpoint({
    host: 'mx1.to.test',
    address: '192.0.2.1',
    port: 25,
    tls: 'opportunistic',
    requirement: NO_REQUIREMENT,
    policy: { name: 'opportunistic', published },
    login: null,
    source: null,
    provider: null,
    mailsPerConnection: null,
    ...over,
  } as MxEndpoint);

const dane = (...fills: number[]): MxEndpoint['requirement'] => ({
  kind: 'tlsa',
  records: fills.map(tlsa),
  names: ['mx1.to.test'],
});

describe('connections are interchangeable', () => {
  it.each<[string, Partial<MxEndpoint>, Partial<MxEndpoint>]>([
    ['of names that share an address, when nothing was proved', {}, { host: 'mx2.to.test' }],
    ['of policies that ask for the same', { requirement: { kind: 'webpki' } }, withVerifiedTls(endpoint())],
    ['of the same records in another order', { requirement: dane(1, 2) }, { requirement: dane(2, 1) }],
  ])('%s', (_, one, other) => expect(endpoint(one).key).toBe(endpoint(other).key));
});

describe('connections are not interchangeable', () => {
  it.each<[string, Partial<MxEndpoint>, Partial<MxEndpoint>]>([
    ['when one proved nothing', {}, { requirement: { kind: 'webpki' } }],
    ['when one is encrypted only', { requirement: { kind: 'encrypted' } }, { requirement: { kind: 'webpki' } }],
    ['when one may be in the clear', {}, { requirement: { kind: 'encrypted' } }],
    [
      'when another name was proved',
      { requirement: { kind: 'webpki' } },
      { requirement: { kind: 'webpki' }, host: 'mx2.to.test' },
    ],
    ['when other records were matched', { requirement: dane(1) }, { requirement: dane(2) }],
    [
      'when one rests on authorities and the other on records',
      { requirement: dane(1) },
      { requirement: { kind: 'webpki' } },
    ],
    ['when one is in the clear on purpose', {}, { tls: 'none' }],
    ['when they go to different ports', {}, { port: 26 }],
    ['when different addresses of ours speak', {}, { source: { address: '192.0.2.9', heloName: 'a.test' } }],
  ])('%s', (_, one, other) => expect(endpoint(one).key).not.toBe(endpoint(other).key));
});

describe('unconditional', () => {
  it.each<[MxEndpoint['requirement'], MxEndpoint['policy']['name']]>([
    [NO_REQUIREMENT, 'opportunistic'],
    [{ kind: 'encrypted' }, 'dane'],
    [{ kind: 'webpki' }, 'sts'],
    [dane(1), 'dane'],
  ])('sends although %o is required by %s', (requirement, name) => {
    expect(allowsPlaintext(withOptionalTls(endpoint({ requirement, policy: { name, published } })))).toBe(true);
  });

  it('sends no password to a smarthost that has not proved its name', () => {
    const smarthost = endpoint({ requirement: { kind: 'webpki' }, policy: { name: 'enforced', published: null } });
    expect(withOptionalTls(smarthost)).toBe(smarthost);
  });
});

describe('enforced', () => {
  it.each<[MxEndpoint['requirement'], MxEndpoint['policy']['name'], string]>([
    [NO_REQUIREMENT, 'opportunistic', 'enforced webpki'],
    [NO_REQUIREMENT, 'sts_testing', 'enforced webpki'],
    [{ kind: 'encrypted' }, 'dane', 'enforced webpki'],
    [{ kind: 'webpki' }, 'sts', 'sts webpki'],
    [dane(1), 'dane', 'dane tlsa'],
  ])('never weakens an existing requirement: %o by %s', (requirement, name, expected) => {
    const stricter = withVerifiedTls(endpoint({ requirement, policy: { name, published } }));
    expect(`${stricter.policy.name} ${stricter.requirement.kind}`).toBe(expected);
    expect(allowsPlaintext(stricter)).toBe(false);
  });

  it('applies to a smarthost elsewhere, and to an MX on this machine', () => {
    const policy = { name: 'opportunistic', published: null } as const;
    expect(withVerifiedTls(endpoint({ policy, address: '10.0.0.1' })).requirement.kind).toBe('webpki');
    expect(withVerifiedTls(endpoint({ address: '127.0.0.1' })).requirement.kind).toBe('webpki');
    expect(withVerifiedTls(endpoint({ policy, address: '127.0.0.1' })).requirement.kind).toBe('none');
  });

  it('and the source address can be combined', () => {
    const source = { address: '192.0.2.9', heloName: 'a.test' };
    expect(withSource(withVerifiedTls(endpoint()), source)).toMatchObject({ requirement: { kind: 'webpki' }, source });
    expect(withoutTls(endpoint({ source }))).toMatchObject({ tls: 'none', source });
  });
});
