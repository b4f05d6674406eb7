import { describe, expect, it } from 'vitest';
import type { LoggedEvent } from '#libs/contracts';
import { fromRawRecord, fromRecord, toRawRecord, toRecord } from './event-record.js';

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
function received(record: ReturnType<typeof toRecord>) {
  return {
    key: Buffer.from(record.key as string),
    value: Buffer.from(record.value as string),
    headers: Object.fromEntries(
      Object.entries(record.headers ?? {}).map(([name, value]) => [name, Buffer.from(String(value))]),
    ),
  };
}

describe('toRecord and fromRecord', () => {
  it('write exactly the public event as the value', () => {
    const { key, value, headers } = toRecord(logged);
    expect(key).toBe(logged.key);
    expect(Object.keys(JSON.parse(value as string) as object)).toEqual([
      'id',
      'account_id',
      'type',
      'created_at',
      'data',
    ]);
    expect(headers).toEqual({
      'event-id': logged.event.id,
      'event-type': 'webhook.test',
      'account-id': logged.event.account_id,
      'schema-version': '1',
      'domain-id': logged.domainId,
      'api-key-id': logged.apiKeyId,
      sequence: '3',
      position: '4711',
      test: 'false',
    });
  });

  it('restore the event', () => {
    expect(fromRecord(received(toRecord(logged)))).toEqual(logged);
    const other = { ...logged, domainId: null, apiKeyId: null, test: true };
    expect(fromRecord(received(toRecord(other)))).toEqual(other);
  });

  it('restore the event of a record that was parked', () => {
    const parked = JSON.parse(JSON.stringify(toRawRecord(received(toRecord(logged))))) as ReturnType<
      typeof toRawRecord
    >;
    expect(fromRawRecord(parked)).toEqual(logged);
    expect(() => fromRawRecord(toRawRecord({ key: null, value: null, headers: {} }))).toThrow('schema-version');
  });

  it('reject records of an unknown version, damaged ones, and those of other producers', () => {
    const good = received(toRecord(logged));
    const bad = [
      { ...good, headers: { ...good.headers, 'schema-version': Buffer.from('2') } },
      { ...good, headers: {} },
      { ...good, value: Buffer.from('{"id":') },
      { ...good, value: Buffer.from('{"id":"evt_other"}') },
      { ...good, value: Buffer.from('null') },
      { ...good, value: null },
      { ...good, key: null },
    ];
    for (const message of bad) expect(() => fromRecord(message)).toThrow();
  });
});
