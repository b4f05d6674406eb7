import { describe, expect, it } from 'vitest';
import { aggregateStatus } from './email-status.js';

describe('aggregateStatus', () => {
  it('returns the status with the highest precedence', () => {
    expect(aggregateStatus(['delivered', 'bounced', 'queued'])).toBe('bounced');
    expect(aggregateStatus(['delivered', 'deferred'])).toBe('deferred');
    expect(aggregateStatus(['delivered', 'queued'])).toBe('queued');
    expect(aggregateStatus(['complained', 'bounced'])).toBe('complained');
  });

  it('returns suppressed only if all recipients are suppressed', () => {
    expect(aggregateStatus(['suppressed', 'delivered'])).toBe('delivered');
    expect(aggregateStatus(['suppressed', 'suppressed'])).toBe('suppressed');
  });
});
