import type { KafkaMessage, Message } from 'kafkajs';
import type { LoggedEvent, ServiceEvent } from '#libs/contracts';
import type { RawRecord } from '../parking/parked-events.js';

const SCHEMA_VERSION = '1';

/**
 * An event as a Kafka record. The value is exactly the public event. The headers repeat its routing fields and add those
 * that are not public, for the consumers of this service: `domain-id` (absent without one), `api-key-id` (likewise), `sequence`, `position`, `test`.
 */
export function toRecord({ event, key, sequence, domainId, apiKeyId, test, position }: LoggedEvent): Message {
  const { id, account_id, type, created_at, data } = event;
  return {
    key,
    value: JSON.stringify({ id, account_id, type, created_at, data }),
    timestamp: String(Date.parse(created_at)),
    headers: {
      'event-id': id,
      'event-type': type,
      'account-id': account_id,
      'schema-version': SCHEMA_VERSION,
      ...(domainId === null ? {} : { 'domain-id': domainId }),
      ...(apiKeyId === null ? {} : { 'api-key-id': apiKeyId }),
      sequence: String(sequence),
      position: String(position),
      test: String(test),
    },
  };
}

/** @throws for a record of another producer or of a later version of this service */
export function fromRecord(message: Pick<KafkaMessage, 'key' | 'value' | 'headers'>): LoggedEvent {
  const header = (name: string): string | undefined => message.headers?.[name]?.toString();
  const required = (name: string): string => {
    const value = header(name);
    if (value === undefined) throw new Error(`header ${name} is missing`);
    return value;
  };
  const version = required('schema-version');
  if (version !== SCHEMA_VERSION) throw new Error(`schema-version ${version} is unknown`);
  if (message.key === null || message.value === null) throw new Error('key or value is missing');
  const event = JSON.parse(message.value.toString()) as ServiceEvent;
  if (event.id !== required('event-id')) throw new Error('value and header name different events');
  return {
    event,
    key: message.key.toString(),
    sequence: Number(required('sequence')),
    domainId: header('domain-id') ?? null,
    apiKeyId: header('api-key-id') ?? null,
    test: required('test') === 'true',
    position: Number(required('position')),
  };
}

/** A record as it is parked. Headers with several values, which this service does not write, are left out. */
export function toRawRecord({ key, value, headers = {} }: Pick<KafkaMessage, 'key' | 'value' | 'headers'>): RawRecord {
  const text = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64');
  const single = Object.entries(headers).flatMap(([name, bytes]) =>
    bytes === undefined || Array.isArray(bytes) ? [] : [[name, text(bytes)] as const],
  );
  return { key: key && text(key), value: value && text(value), headers: Object.fromEntries(single) };
}

/** @throws as `fromRecord` */
export function fromRawRecord({ key, value, headers }: RawRecord): LoggedEvent {
  const bytes = (text: string | null) => (text === null ? null : Buffer.from(text, 'base64'));
  const decoded = Object.entries(headers).map(([name, text]) => [name, Buffer.from(text, 'base64')] as const);
  return fromRecord({ key: bytes(key), value: bytes(value), headers: Object.fromEntries(decoded) });
}
