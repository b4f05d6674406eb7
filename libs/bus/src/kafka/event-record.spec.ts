import { describe, expect, it } from 'vitest';
import type { LoggedEvent } from '#libs/contracts';
import { fromRawRecord, fromRecord, toEventValue, toPositionValue, toRawRecord } from './event-record.js';

const logged: LoggedEvent = {
  event: {
    id: 'evt_01978c0e5f7b7c3a9d21f0b64c1e88aa',
    account_id: 'acc_01978c0e5f7b7c3a9d21f0b64c1e88ab',
    type: 'webhook.test',
    created_at: '2026-02-03T04:05:06.789Z',
    data: { webhook_id: 'wh_01978c0e5f7b7c3a9d21f0b64c1e88ad', message: 'Grüße "\\" 😀' },
  },
  key: 'wh_01978c0e5f7b7c3a9d21f0b64c1e88ad',
  sequence: 3,
  domainId: 'dom_01978c0e5f7b7c3a9d21f0b64c1e88ac',
  apiKeyId: 'key_01978c0e5f7b7c3a9d21f0b64c1e88ae',
  test: false,
  position: 4711,
};

/** As the client library gives it to a consumer: everything is bytes. */
const received = (value: string, key: string | null = logged.key) => ({
  key: key === null ? null : Buffer.from(key),
  value: Buffer.from(value),
});
const value = (over: object = {}): string => JSON.stringify({ ...JSON.parse(toEventValue(logged)), ...over });

describe('records of events', () => {
  it('have the public event and the fields that place it', () => {
    expect(JSON.parse(toEventValue(logged))).toEqual({
      ...logged.event,
      domain_id: logged.domainId,
      api_key_id: logged.apiKeyId,
      sequence: 3,
      position: 4711,
      schema_version: 1,
      mode: 'live',
    });
  });

  it.each([
    ['gmail-smtp-in.l.google.com', 'a@customer.example', 'google'],
    ['hotmail-com.olc.protection.outlook.com', 'a@hotmail.com', 'microsoft'],
    ['smarthost.example', 'a@gmail.com', 'google'],
    ['mx.small.example', 'a@small.example', 'small.example'],
    [null, 'a@gmail.com', undefined],
  ])('name the provider of %s for %s', (mx, recipient, provider) => {
    const event = { ...logged.event, type: 'email.failed', data: { mx, recipient } } as unknown as LoggedEvent['event'];
    expect((JSON.parse(toEventValue({ ...logged, event })) as { provider?: string }).provider).toBe(provider);
  });

  it('restore the event', () => {
    expect(fromRecord(received(toEventValue(logged)))).toEqual(logged);
    const other = { ...logged, domainId: null, apiKeyId: null, test: true };
    expect(fromRecord(received(toEventValue(other)))).toEqual(other);
  });

  it('restore a position', () => {
    expect(fromRecord(received(toPositionValue(12, 3), null))).toEqual({
      type: 'log.position',
      position: 12,
      partitions: 3,
      schema_version: 1,
    });
  });

  it('restore the event of a record that was parked', () => {
    const parked = (message: ReturnType<typeof received>) =>
      JSON.parse(JSON.stringify(toRawRecord({ ...message, headers: {} }))) as ReturnType<typeof toRawRecord>;
    expect(fromRawRecord(parked(received(toEventValue(logged))))).toEqual(logged);
    expect(() => fromRawRecord(parked(received(toPositionValue(1, 3), null)))).toThrow('is no event');
    expect(() => fromRawRecord({ key: null, value: null, headers: {} })).toThrow('value is missing');
  });

  it('reject records of an unknown version, damaged ones, and those of other producers', () => {
    const bad = [
      received(value({ schema_version: 2 })),
      received(value({ schema_version: undefined })),
      received(value({ position: undefined })),
      received(value({ sequence: '3' })),
      received(value({ id: null })),
      received('{"id":'),
      received('null'),
      received('[]'),
      received('"text"'),
      received(value(), null),
      { key: Buffer.from(logged.key), value: null },
    ];
    for (const message of bad) expect(() => fromRecord(message)).toThrow();
  });
});
