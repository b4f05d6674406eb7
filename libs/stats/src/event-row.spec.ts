import { newId, type EmailEventBase, type EmittedType, type LoggedEvent } from '#libs/contracts';
import { describe, expect, it } from 'vitest';
import { EVENT_ROW_COLUMNS, toStatsRow, columnValues } from './event-row.js';

function logged(type: EmittedType, data: object = {}, test = false): LoggedEvent {
  const base: Partial<EmailEventBase> = { recipient: 'ann@example.com' };
  return {
    event: {
      id: newId('evt'),
      account_id: 'acc_1',
      type,
      created_at: '2026-03-01T10:00:00.123Z',
      data: { ...base, ...data },
    },
    key: 'em_1',
    sequence: 1,
    domainId: 'dom_1',
    test,
    position: 7,
  } as LoggedEvent;
}
const counterOf = (event: LoggedEvent) => toStatsRow(event, 'token')?.counter;

describe('toStatsRow', () => {
  it('keeps the time in milliseconds in the format of the engine', () => {
    expect(toStatsRow(logged('email.delivered'), 'token')).toMatchObject({
      at: '2026-03-01 10:00:00.123',
      counter: 'delivered',
      recipient: 'ann@example.com',
      position: 7,
      batch: 'token',
    });
  });

  it('has one value per column, in their order', () => {
    const row = toStatsRow(logged('email.delivered', { tags: { a: 'b' } }), 'token');
    expect(row).not.toBeNull();
    const values = columnValues(row as NonNullable<typeof row>);
    expect(Object.fromEntries(EVENT_ROW_COLUMNS.map((column, i) => [column, values[i]]))).toEqual(row);
  });

  it('counts a recipient as sent at the first attempt only', () => {
    expect(counterOf(logged('email.sent', { attempt: 1 }))).toBe('sent');
    expect(counterOf(logged('email.sent', { attempt: 2 }))).toBe('');
  });

  it('distinguishes temporary from final failures', () => {
    expect(counterOf(logged('email.failed', { failure_type: 'temporary' }))).toBe('deferred');
    expect(counterOf(logged('email.failed', { failure_type: 'final' }))).toBe('failed');
  });

  it('has no row for test mail and for events that are not about mail', () => {
    expect(toStatsRow(logged('email.delivered', {}, true), 'token')).toBeNull();
    expect(toStatsRow(logged('webhook.test'), 'token')).toBeNull();
  });
});
