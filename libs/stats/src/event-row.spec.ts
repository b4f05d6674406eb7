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
const OF = { batch: 'token', serviceDomain: 'postloft.test' };
const counterOf = (event: LoggedEvent) => toStatsRow(event, OF)?.counter;

describe('toStatsRow', () => {
  it('keeps the time in milliseconds in the format of the engine', () => {
    expect(toStatsRow(logged('email.delivered'), OF)).toMatchObject({
      at: '2026-03-01 10:00:00.123',
      counter: 'delivered',
      recipient: 'ann@example.com',
      position: 7,
      batch: 'token',
    });
  });

  it.each([
    ['ann@example.com', 0],
    ['bounced+1@sim.postloft.test', 1],
    ['Unknown@SIM.postloft.test', 1],
    ['delivered@resend.dev', 1],
    ['onboarding@resend.dev', 0],
    ['bounce@simulator.amazonses.com', 1],
    ['', 0],
  ])('tells the simulator apart: %s', (recipient, expected) => {
    expect(toStatsRow(logged('email.delivered', { recipient }), OF)?.is_simulated).toBe(expected);
  });

  it('has one value per column, in their order', () => {
    const row = toStatsRow(logged('email.delivered', { tags: { a: 'b' } }), OF);
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
    expect(toStatsRow(logged('email.delivered', {}, true), OF)).toBeNull();
    expect(toStatsRow(logged('webhook.test'), OF)).toBeNull();
  });
});
