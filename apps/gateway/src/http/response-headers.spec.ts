import { describe, expect, it } from 'vitest';
import { quotaHeaders } from './response-headers.js';

describe('quotaHeaders', () => {
  const resetsAt = new Date('2026-04-01T00:00:00Z');
  const usage = { plan: 'free', month: '2026-03', limit: 3_000, used: 2_998, remaining: 2, resetsAt };

  it('contain the seconds until the end of the month', () => {
    expect(quotaHeaders(usage, new Date('2026-03-31T23:00:00.500Z'))).toEqual({
      'x-quota-limit': '3000',
      'x-quota-remaining': '2',
      'x-quota-reset': '3600',
    });
    expect(quotaHeaders(usage, resetsAt)).toMatchObject({ 'x-quota-reset': '1' });
  });

  it('are empty for an unlimited plan', () => {
    expect(quotaHeaders({ ...usage, limit: null, used: null, remaining: null }, resetsAt)).toEqual({});
  });
});
