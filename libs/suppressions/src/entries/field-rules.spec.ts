import { LIMITS, newId } from '#libs/contracts';
import { describe, expect, it } from 'vitest';
import { suppressionAddressesRule, suppressionEntriesRule, suppressionIdsRule } from './bulk-rules.js';
import {
  suppressionAddressRule,
  suppressionDomainRule,
  suppressionExpiryRule,
  suppressionReasonRule,
  suppressionTarget,
} from './field-rules.js';

const codes = (problems: { path: string; code: string }[]) =>
  problems.map(({ path, code }) => `${path} ${code}`.trim());

describe('suppressionAddressRule', () => {
  it.each(['user@example.net', ' USER+x@example.net\t', 'ü@bücher.example', '"a <b>"@example.net'])(
    'takes %j',
    (value) => {
      expect(suppressionAddressRule(value)).toEqual([]);
    },
  );

  it.each([
    [7, 'invalid_type'],
    [null, 'invalid_type'],
    ['', 'invalid_address'],
    ['user', 'invalid_address'],
    ['@example.net', 'invalid_address'],
    ['a@example.net, b@example.net', 'invalid_address'],
    ['Jo <jo@example.net>', 'invalid_address'],
    ['<jo@example.net>', 'invalid_address'],
    ['<"jo b"@example.net>', 'invalid_address'],
    ['a@exam\0ple.net', 'invalid_address'],
    ['a\r\n@example.net', 'invalid_address'],
    ['"a"b@example.net', 'invalid_address'],
  ])('rejects %j', (value, code) => {
    expect(codes(suppressionAddressRule(value))).toEqual([code]);
  });
});

describe('the other fields', () => {
  it('may be null', () => {
    for (const rule of [suppressionReasonRule, suppressionExpiryRule, suppressionDomainRule])
      expect(rule(null)).toEqual([]);
  });

  it.each([
    ['', []],
    ['x'.repeat(LIMITS.suppressionReasonLength), []],
    ['x'.repeat(LIMITS.suppressionReasonLength + 1), ['too_long']],
    ['a\u001b[31m', ['invalid_characters']],
    ['a\ud800', ['invalid_characters']],
    [7, ['invalid_type']],
  ])('a reason %j: %j', (value, expected) => {
    expect(codes(suppressionReasonRule(value))).toEqual(expected);
  });

  it.each([
    [new Date(Date.now() + 60_000).toISOString(), []],
    [new Date(Date.now() - 1).toISOString(), ['in_the_past']],
    ['2199-01-01', ['invalid_timestamp']],
    [4_102_444_800, ['invalid_timestamp']],
  ])('an end %j: %j', (value, expected) => {
    expect(codes(suppressionExpiryRule(value))).toEqual(expected);
  });

  it('a domain is given by its id', () => {
    expect(suppressionDomainRule(newId('dom'))).toEqual([]);
    for (const value of [newId('em'), '', 7, {}]) expect(codes(suppressionDomainRule(value))).toEqual(['invalid_id']);
  });
});

describe('bulk rules', () => {
  it('name the position of each problem', () => {
    const ok = 'a@example.net';
    expect(codes(suppressionAddressesRule([ok, 'x', 7]))).toEqual(['[1] invalid_address', '[2] invalid_type']);
    expect(codes(suppressionIdsRule([newId('sup'), newId('em')]))).toEqual(['[1] invalid_id']);
    expect(codes(suppressionEntriesRule([{ email: ok }, [], { reason: 7 }]))).toEqual([
      '[1] invalid_type',
      '[2].email required',
      '[2].reason invalid_type',
    ]);
  });

  it.each([
    [[], 'too_few'],
    [Array.from({ length: LIMITS.bulkEntries + 1 }, () => null), 'too_many'],
    ['a@example.net', 'invalid_type'],
    [{ length: 1 }, 'invalid_type'],
  ])('are 1 to 100', (value, code) => {
    for (const rule of [suppressionAddressesRule, suppressionEntriesRule, suppressionIdsRule])
      expect(codes(rule(value))).toEqual([code]);
  });
});

describe('suppressionTarget', () => {
  it('is an id, or an address with its domain', () => {
    const id = newId('sup');
    expect(suppressionTarget(id)).toEqual({ id });
    expect(suppressionTarget(' User@BÜCHER.example', 'dom_1')).toEqual({
      address: 'user@xn--bcher-kva.example',
      domainId: 'dom_1',
    });
    expect(suppressionTarget('export')).toBeNull();
    expect(suppressionTarget('a\0@example.net')).toBeNull();
  });
});
