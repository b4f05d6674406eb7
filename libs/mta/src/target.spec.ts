import { describe, expect, it } from 'vitest';
import { enforced, fromSource, inTheClear, mayGoInTheClear, toTarget, unconditional } from './target.js';
import type { Target } from './target.js';
import { NO_PROOF } from './tls-policy/proof.js';

const tlsa = (fill: number) => ({ usage: 3, selector: 1, matchingType: 1, data: Buffer.alloc(32, fill) });
const published = { domain: 'to.test', type: 'no-policy-found', strings: [], mxPatterns: [], fault: null } as const;

const target = (over: Partial<Target> = {}): Target =>
  toTarget({
    host: 'mx1.to.test',
    address: '192.0.2.1',
    port: 25,
    tls: 'opportunistic',
    proof: NO_PROOF,
    policy: { name: 'opportunistic', published },
    login: null,
    source: null,
    provider: null,
    mailsPerConnection: null,
    ...over,
  } as Target);

const dane = (...fills: number[]): Target['proof'] => ({
  kind: 'tlsa',
  records: fills.map(tlsa),
  names: ['mx1.to.test'],
});

describe('connections are interchangeable', () => {
  it.each<[string, Partial<Target>, Partial<Target>]>([
    ['of names that share an address, when nothing was proved', {}, { host: 'mx2.to.test' }],
    ['of policies that ask for the same', { proof: { kind: 'webpki' } }, enforced(target())],
    ['of the same records in another order', { proof: dane(1, 2) }, { proof: dane(2, 1) }],
  ])('%s', (_, one, other) => expect(target(one).key).toBe(target(other).key));
});

describe('connections are not interchangeable', () => {
  it.each<[string, Partial<Target>, Partial<Target>]>([
    ['when one proved nothing', {}, { proof: { kind: 'webpki' } }],
    ['when one is encrypted only', { proof: { kind: 'encrypted' } }, { proof: { kind: 'webpki' } }],
    ['when one may be in the clear', {}, { proof: { kind: 'encrypted' } }],
    ['when another name was proved', { proof: { kind: 'webpki' } }, { proof: { kind: 'webpki' }, host: 'mx2.to.test' }],
    ['when other records were matched', { proof: dane(1) }, { proof: dane(2) }],
    ['when one rests on authorities and the other on records', { proof: dane(1) }, { proof: { kind: 'webpki' } }],
    ['when one is in the clear on purpose', {}, { tls: 'none' }],
    ['when they go to different ports', {}, { port: 26 }],
    ['when different addresses of ours speak', {}, { source: { address: '192.0.2.9', heloName: 'a.test' } }],
  ])('%s', (_, one, other) => expect(target(one).key).not.toBe(target(other).key));
});

describe('unconditional', () => {
  it.each<[Target['proof'], Target['policy']['name']]>([
    [NO_PROOF, 'opportunistic'],
    [{ kind: 'encrypted' }, 'dane'],
    [{ kind: 'webpki' }, 'sts'],
    [dane(1), 'dane'],
  ])('goes out though %o is asked for under %s', (proof, name) => {
    expect(mayGoInTheClear(unconditional(target({ proof, policy: { name, published } })))).toBe(true);
  });

  it('gives no password to a smarthost that has not proved its name', () => {
    const smarthost = target({ proof: { kind: 'webpki' }, policy: { name: 'enforced', published: null } });
    expect(unconditional(smarthost)).toBe(smarthost);
  });
});

describe('enforced', () => {
  it.each<[Target['proof'], Target['policy']['name'], string]>([
    [NO_PROOF, 'opportunistic', 'enforced webpki'],
    [NO_PROOF, 'sts_testing', 'enforced webpki'],
    [{ kind: 'encrypted' }, 'dane', 'enforced webpki'],
    [{ kind: 'webpki' }, 'sts', 'sts webpki'],
    [dane(1), 'dane', 'dane tlsa'],
  ])('never weakens what is asked already: %o under %s', (proof, name, expected) => {
    const stricter = enforced(target({ proof, policy: { name, published } }));
    expect(`${stricter.policy.name} ${stricter.proof.kind}`).toBe(expected);
    expect(mayGoInTheClear(stricter)).toBe(false);
  });

  it('holds for a smarthost elsewhere, and for an MX on this machine', () => {
    const policy = { name: 'opportunistic', published: null } as const;
    expect(enforced(target({ policy, address: '10.0.0.1' })).proof.kind).toBe('webpki');
    expect(enforced(target({ address: '127.0.0.1' })).proof.kind).toBe('webpki');
    expect(enforced(target({ policy, address: '127.0.0.1' })).proof.kind).toBe('none');
  });

  it('and the source address keep each other', () => {
    const source = { address: '192.0.2.9', heloName: 'a.test' };
    expect(fromSource(enforced(target()), source)).toMatchObject({ proof: { kind: 'webpki' }, source });
    expect(inTheClear(target({ source }))).toMatchObject({ tls: 'none', source });
  });
});
