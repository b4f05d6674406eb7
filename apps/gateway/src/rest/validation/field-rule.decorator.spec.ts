import type { Rule } from '#libs/contracts';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { SendEmailDto } from '../emails/send-email.dto.js';
import { PageQuery } from '../list.dto.js';
import { FieldRule, validateFields } from './field-rule.decorator.js';
import { limitRule } from './query-rules.js';

const calls: string[] = [];
beforeEach(() => {
  calls.length = 0;
});

/** A rule that records its calls and reports each item of the value as a problem. */
const listing =
  (name: string): Rule =>
  (value) => {
    calls.push(name);
    const items = Array.isArray(value) ? (value as unknown[]) : [];
    return items.map((item, i) => ({ path: `[${i}]`, code: name, message: String(item) }));
  };

class Base {
  @FieldRule(listing('last'))
  last?: unknown;
}
class Dto extends Base {
  @FieldRule(listing('first'), { required: true })
  first?: unknown;

  @FieldRule(listing('second'), { requiredUnless: 'third' })
  second?: unknown;

  @FieldRule(listing('third'), { nullable: true })
  third?: unknown;
}
const validate = (fields: object) => validateFields(Object.assign(new Dto(), fields));
const value = fc.oneof(
  fc.constant(undefined),
  fc.constant(null),
  fc.constant('text'),
  fc.array(fc.nat(), { maxLength: 3 }),
);

describe('validateFields', () => {
  it('reports all problems of all fields, own fields before inherited ones, with one call per rule', () => {
    expect(validate({ first: ['a'], second: ['b', 'c'], third: 'd', last: ['e'] })).toEqual([
      { field: 'first[0]', code: 'first', message: 'a' },
      { field: 'second[0]', code: 'second', message: 'b' },
      { field: 'second[1]', code: 'second', message: 'c' },
      { field: 'last[0]', code: 'last', message: 'e' },
    ]);
    expect(calls).toEqual(['first', 'second', 'third', 'last']);
  });

  it('reports missing fields and calls no rule for them', () => {
    expect(validate({})).toEqual([
      { field: 'first', code: 'required', message: 'is required' },
      { field: 'second', code: 'required', message: 'is required when third is not given' },
    ]);
    expect(validate({ first: '', third: null })).toEqual([]);
    expect(calls).toEqual(['first']);
  });

  it('passes null to the rule unless the field is nullable', () => {
    expect(validate({ first: null, second: null, third: null })).toEqual([]);
    expect(calls).toEqual(['first', 'second']);
  });

  it('reports exactly the problems of the rules for any values, without those of an earlier validation', () => {
    let valid = 0;
    fc.assert(
      fc.property(value, value, value, value, (first, second, third, last) => {
        const dto = Object.assign(new Dto(), { first, second, third, last });
        const expected = [
          ...(first === undefined ? ['first'] : pathsOf('first', first)),
          ...(second === undefined && third === undefined ? ['second'] : pathsOf('second', second)),
          ...pathsOf('third', third),
          ...pathsOf('last', last),
        ];
        valid += expected.length === 0 ? 1 : 0;
        expect(validateFields(dto).map(({ field }) => field)).toEqual(expected);
        expect(validateFields(dto).map(({ field }) => field)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
    // Both results occurred, otherwise the property would prove nothing.
    expect(valid).toBeGreaterThan(0);
    expect(valid).toBeLessThan(300);
  });

  it('validates inherited fields of the DTOs of the API', () => {
    class Derived extends PageQuery {
      @FieldRule(limitRule, { required: true })
      more: string;
    }
    expect(validateFields(Object.assign(new Derived(), { limit: '0' })).map(({ field }) => field)).toEqual([
      'more',
      'limit',
    ]);
    expect(validateFields(Object.assign(new Derived(), { more: '1', limit: '20' }))).toEqual([]);
  });

  it('reports no problem for a complete email', () => {
    const email = { from: 'Shop <a@example.com>', to: ['b@example.com'], subject: 'Hello', html: '<p>Hi</p>' };
    expect(validateFields(Object.assign(new SendEmailDto(), email))).toEqual([]);
  });
});

function pathsOf(field: string, given: unknown): string[] {
  return Array.isArray(given) ? given.map((_, i) => `${field}[${i}]`) : [];
}
