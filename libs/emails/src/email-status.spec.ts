import { describe, expect, it } from 'vitest';
import { aggregateStatus } from './email-status.js';

describe('aggregateStatus', () => {
  it('shows the worst of the recipients', () => {
    expect(aggregateStatus(['delivered', 'bounced', 'queued'])).toBe('bounced');
    expect(aggregateStatus(['delivered', 'deferred'])).toBe('deferred');
    expect(aggregateStatus(['delivered', 'queued'])).toBe('queued');
    expect(aggregateStatus(['complained', 'bounced'])).toBe('complained');
  });

  it('counts suppressed only if nobody else is left', () => {
    expect(aggregateStatus(['suppressed', 'delivered'])).toBe('delivered');
    expect(aggregateStatus(['suppressed', 'suppressed'])).toBe('suppressed');
  });
});
