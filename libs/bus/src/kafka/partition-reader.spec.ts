import type { EachBatchPayload, KafkaMessage } from 'kafkajs';
import { expect, it } from 'vitest';
import { newId, type LoggedEvent } from '#libs/contracts';
import { Log } from '#libs/kernel';
import type { EventBatch } from '../event-log.js';
import { toEventValue, toPositionValue } from './event-record.js';
import { PartitionReader } from './partition-reader.js';

const event = (position: number): LoggedEvent => ({
  event: {
    ...{ id: newId('evt'), account_id: newId('acc'), type: 'webhook.test', created_at: '2026-02-03T04:05:06.789Z' },
    data: { webhook_id: newId('wh'), message: 'x' },
  },
  ...{ key: newId('wh'), sequence: 1, domainId: null, apiKeyId: null, test: false, position },
});

const message = (offset: number, value: string, key: string | null = newId('wh')): KafkaMessage => ({
  key: key === null ? null : Buffer.from(key),
  value: Buffer.from(value),
  headers: {},
  ...{ offset: String(offset), timestamp: '0', attributes: 0 },
});
const eventMessage = (offset: number, of: LoggedEvent) => message(offset, toEventValue(of), of.key);

it('parks a record that is not readable as an event, and hands over the others', async () => {
  const [first, last] = [event(1), event(3)];
  const strange = { ...message(11, '{"id":'), headers: { trace: Buffer.from('7') } };
  const batches: EventBatch[] = [];
  const parked: unknown[] = [];
  const reader = new PartitionReader(
    { topic: 'events', partition: 4 },
    {
      consumer: 'tested',
      batchSize: 10,
      handle: async (batch) => {
        batches.push(batch);
      },
    },
    {
      boundaries: {} as never,
      parking: { parkRecord: (...args: unknown[]) => Promise.resolve(parked.push(args)) } as never,
      log: Log.quiet(),
      stopping: new AbortController().signal,
      onLag: () => undefined,
    },
  );
  const committed: string[] = [];
  await reader.take({
    batch: {
      messages: [eventMessage(10, first), strange, message(12, toPositionValue(2, 6), null), eventMessage(13, last)],
      offsetLagLow: () => '0',
      offsetLag: () => '0',
    },
    isRunning: () => true,
    isStale: () => false,
    heartbeat: async () => undefined,
    resolveOffset: (offset: string) => committed.push(offset),
    commitOffsetsIfNecessary: async () => undefined,
  } as unknown as EachBatchPayload);

  expect(batches.map(({ events }) => events)).toEqual([[first, last]]);
  expect(committed).toEqual(['13']);
  expect(batches[0]).toMatchObject({ completeTo: 2, sources: 6 });
  const record = {
    key: strange.key?.toString('base64'),
    value: strange.value?.toString('base64'),
    headers: { trace: Buffer.from('7').toString('base64') },
  };
  expect(parked).toEqual([['tested', { source: 'events/4', position: 11, record }, expect.any(Error)]]);
});
