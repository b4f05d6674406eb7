import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rulesHold } from './by-rule.js';
import { CapturedQuery } from './captured.dto.js';
import { PageQuery } from './list.dto.js';
import { limitRule } from './query-rules.js';
import { ByRule } from './by-rule.js';
import { SendEmailDto } from './send-email.dto.js';

class Derived extends PageQuery {
  @ByRule(limitRule, { required: true })
  more: string;
}

const GOOD = {
  from: 'Shop <a@example.com>',
  to: ['b@example.com'],
  subject: 'Hello',
  text: 'Hi',
  html: '<p>Hi</p>',
  tags: { a: 'b' },
  headers: { 'X-A': 'b' },
  expires_in: 300,
  limit: '20',
  more: '1',
};
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...Object.values(GOOD)) },
  fc.string(),
  fc.integer(),
  fc.constant(null),
  fc.constant(undefined),
  fc.array(fc.string(), { maxLength: 3 }),
  fc.dictionary(fc.string(), fc.anything(), { maxKeys: 3 }),
);

describe.each([SendEmailDto, CapturedQuery, PageQuery, Derived])('rulesHold for %o', (dto) => {
  it('says the same as class-validator', () => {
    const fields = [...Object.keys(GOOD), 'cc', 'bcc', 'after', 'before', 'attachments', 'scheduled_at', 'sandbox'];
    const body = fc.dictionary(fc.constantFrom(...fields), value);
    let held = 0;
    fc.assert(
      fc.property(body, fc.boolean(), (over, complete) => {
        const instance = Object.assign(new dto(), complete ? GOOD : {}, over);
        const errors = validateSync(instance, { forbidUnknownValues: true });
        held += errors.length === 0 ? 1 : 0;
        expect(rulesHold(instance)).toBe(errors.length === 0);
      }),
      { numRuns: 300 },
    );
    // Both verdicts were met, or the property would say nothing.
    expect(held).toBeGreaterThan(0);
    expect(held).toBeLessThan(300);
  });
});
