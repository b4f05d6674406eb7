import type { KafkaMessage } from 'kafkajs';
import {
  RECORD_SCHEMA_VERSION,
  queueNames,
  type EventRecord,
  type LoggedEvent,
  type PositionRecord,
} from '#libs/contracts';
import type { RawRecord } from '../parking/parked-event.resource.js';

export const POSITION_TYPE: PositionRecord['type'] = 'log.position';

/** Facts that only some event types have. */
interface RemoteDetails {
  mx?: string | null;
  recipient?: string;
}

/** The value of an event's record. */
export function toEventValue({ event, sequence, domainId, apiKeyId, test, position }: LoggedEvent): string {
  const { id, account_id, type, created_at, data } = event;
  const { mx = null, recipient = '' } = data as RemoteDetails;
  return JSON.stringify({
    id,
    account_id,
    type,
    created_at,
    data,
    domain_id: domainId,
    api_key_id: apiKeyId,
    sequence,
    position,
    schema_version: RECORD_SCHEMA_VERSION,
    mode: test ? 'test' : 'live',
    provider: mx === null ? undefined : queueNames.remoteProvider(mx, recipient),
  } satisfies EventRecord);
}

/** The value of the record that follows every event up to `position` in a partition. */
export const toPositionValue = (position: number, partitions: number): string =>
  JSON.stringify({
    type: POSITION_TYPE,
    position,
    partitions,
    schema_version: RECORD_SCHEMA_VERSION,
  } satisfies PositionRecord);

/**
 * An event, or a position up to which the partition has all events.
 * @throws for a record of another producer or of a later version of this service
 */
export function fromRecord(message: Pick<KafkaMessage, 'key' | 'value'>): LoggedEvent | PositionRecord {
  if (message.value === null) throw new Error('value is missing');
  const record = JSON.parse(message.value.toString()) as EventRecord | PositionRecord | null;
  const version = record?.schema_version as unknown;
  if (record === null || version !== RECORD_SCHEMA_VERSION)
    throw new Error(`schema_version ${String(version)} is unknown`);
  if (!Number.isSafeInteger(record.position)) throw new Error('position is missing');
  if (record.type === POSITION_TYPE) return record;
  if (message.key === null) throw new Error('key is missing');
  const { id, account_id, type, created_at, data, sequence, domain_id, api_key_id, mode, position } = record;
  if (typeof id !== 'string' || !Number.isSafeInteger(sequence)) throw new Error('id or sequence is missing');
  return {
    event: { id, account_id, type, created_at, data },
    key: message.key.toString(),
    sequence,
    domainId: domain_id,
    apiKeyId: api_key_id,
    test: mode === 'test',
    position,
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

/** @throws as `fromRecord`, and for a record that is no event */
export function fromRawRecord({ key, value }: RawRecord): LoggedEvent {
  const bytes = (text: string | null) => (text === null ? null : Buffer.from(text, 'base64'));
  const found = fromRecord({ key: bytes(key), value: bytes(value) });
  if ('event' in found) return found;
  throw new Error(`a record of the type ${found.type} is no event`);
}
