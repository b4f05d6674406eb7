import type { Kafka, Message, ProducerRecord } from 'kafkajs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadConfig, Log, Shutdown } from '#libs/kernel';
import type { RelaySource, SourceRecord } from '../relay-source.js';
import type { SourceRead } from '../relay-source.js';
import { WHOLE, type Shard } from '../shards/shard.js';
import { KafkaRelay } from './kafka-relay.js';

const PARTITIONS = 4;

interface Request {
  partition: number;
  messages: Message[];
  succeed(): void;
  fail(error: object): void;
}

/** A broker whose requests the test answers. */
class ScriptedBroker {
  readonly requests: Request[] = [];
  readonly written: Record<number, string[]> = {};
  inFlight: Record<number, number> = {};
  connections = 0;

  readonly kafka = {
    admin: () => ({
      connect: async () => undefined,
      disconnect: async () => undefined,
      listTopics: async () => ['postloft.email.events.v1'],
      fetchTopicOffsets: async () => Array.from({ length: PARTITIONS }, (_, partition) => ({ partition })),
    }),
    producer: () => ({
      connect: async () => void (this.connections += 1),
      disconnect: async () => undefined,
      send: (record: ProducerRecord) => this.take(record),
    }),
  };

  private take({ messages }: ProducerRecord): Promise<void> {
    const partition = messages[0].partition as number;
    expect(messages.every((message) => message.partition === partition)).toBe(true);
    this.inFlight[partition] = (this.inFlight[partition] ?? 0) + 1;
    expect(this.inFlight[partition]).toBe(1);
    return new Promise((resolve, reject) => {
      const done = () => (this.inFlight[partition] -= 1);
      this.requests.push({
        partition,
        messages,
        succeed: () => {
          done();
          (this.written[partition] ??= []).push(...messages.map(({ value }) => String(value)));
          resolve();
        },
        fail: (cause) => {
          done();
          reject(Object.assign(new Error('refused'), { cause }));
        },
      });
    });
  }

  /** The first unanswered request of a partition, or of any but the given one. */
  async request(matches: (partition: number) => boolean = () => true): Promise<Request> {
    return vi.waitFor(() => {
      const at = this.requests.findIndex(({ partition }) => matches(partition));
      expect(at).toBeGreaterThanOrEqual(0);
      return this.requests.splice(at, 1)[0];
    });
  }
}

/** Records 1, 2, 3, …, with a position that can be looked at. */
class Numbers implements RelaySource<number> {
  readonly name = 'numbers';
  stored = 0;
  isOurs = true;
  readonly refused: number[] = [];
  taken = 0;
  private at = 0;
  private wake = () => undefined as void;

  constructor(
    private end: number,
    readonly shard: Shard = WHOLE,
  ) {}

  add(count: number): void {
    this.end += count;
    this.wake();
  }
  async take(): Promise<boolean> {
    this.taken += 1;
    return true;
  }
  async begin(partitions: number): Promise<number> {
    this.at = this.stored;
    return partitions;
  }
  check(): void {
    if (!this.isOurs) throw new Error('the lease is lost');
  }
  /** Odd numbers belong to no shard but the whole. */
  async read(limit: number): Promise<SourceRead<number>> {
    const first = this.at + 1;
    this.at = Math.min(this.end, this.at + limit);
    const all = Array.from({ length: this.at - first + 1 }, (_, i) => first + i);
    const ours = this.shard.of === 1 ? all : all.filter((number) => number % 2 === 0);
    return { records: ours.map(record), upTo: all.at(-1) ?? null, isAll: this.at === this.end };
  }
  async advance(to: number): Promise<void> {
    this.stored = to;
  }
  async release(): Promise<void> {}
  async refuse({ position }: SourceRecord<number>): Promise<void> {
    this.refused.push(position);
  }
  onNew(callback: () => void): () => void {
    this.wake = callback;
    return () => undefined;
  }
  marker(): { type: string; value: string } | null {
    return this.shard.of === 1 || this.at === 0 ? null : { type: 'log.position', value: `up to ${this.at}` };
  }
}

const record = (number: number): SourceRecord<number> => ({
  id: `evt_${number}`,
  type: 'email.sent',
  key: `key ${number % 16}`,
  value: String(number),
  at: 0,
  position: number,
});

describe('KafkaRelay', () => {
  const shutdowns: Shutdown[] = [];
  afterEach(() => Promise.all(shutdowns.splice(0).map((shutdown) => shutdown.run())));

  const allowed = { mayTake: async () => true, taken: () => undefined, released: () => undefined };

  function start(source: Numbers, share = { ...allowed, mustRelease: async () => false }): ScriptedBroker {
    const broker = new ScriptedBroker();
    const kafka = broker.kafka as unknown as Kafka;
    const [log, shutdown] = [Log.quiet(), new Shutdown(Log.quiet())];
    shutdowns.push(shutdown);
    const config = loadConfig('standalone', { KAFKA_BROKERS: '127.0.0.1:1' });
    new KafkaRelay(source, 'email.events.v1', { kafka, config, log, shutdown, share }).start();
    return broker;
  }
  const numbers = (broker: ScriptedBroker) => Object.values(broker.written).flat().map(Number);

  it('stores the position before the lowest record that is not written, and writes other partitions meanwhile', async () => {
    const source = new Numbers(40);
    const broker = start(source);
    const held = await broker.request((partition) => partition === 0);
    for (let others = 1; others < PARTITIONS; others++) (await broker.request()).succeed();
    const lowest = Math.min(...held.messages.map(({ value }) => Number(value)));
    await vi.waitFor(() => expect(source.stored).toBe(lowest - 1));
    source.add(40);
    const next = await broker.request((partition) => partition !== 0);
    next.succeed();
    expect(source.stored).toBe(lowest - 1);
    held.succeed();
    for (let more = 0; more < PARTITIONS - 1; more++) (await broker.request()).succeed();
    await vi.waitFor(() => expect(source.stored).toBe(80));
    expect(numbers(broker).sort((a, b) => a - b)).toEqual(Array.from({ length: 80 }, (_, i) => i + 1));
  });

  it('repeats the batch of a partition without a leader, and no other', async () => {
    const source = new Numbers(40);
    const broker = start(source);
    const refused = await broker.request((partition) => partition === 1);
    refused.fail({ type: 'NOT_LEADER_FOR_PARTITION' });
    for (let others = 1; others < PARTITIONS; others++)
      (await broker.request((partition) => partition !== 1)).succeed();
    const again = await broker.request();
    expect(again.messages).toEqual(refused.messages);
    again.succeed();
    await vi.waitFor(() => expect(source.stored).toBe(40));
    expect(numbers(broker)).toHaveLength(40);
    expect(broker.connections).toBe(1);
  });

  it('begins again at the stored position after any other error', async () => {
    const source = new Numbers(40);
    const broker = start(source);
    const first = await broker.request();
    const lowest = Math.min(...first.messages.map(({ value }) => Number(value)));
    for (let others = 1; others < PARTITIONS; others++) (await broker.request()).succeed();
    await vi.waitFor(() => expect(source.stored).toBe(lowest - 1));
    first.fail({ type: 'UNKNOWN_TOPIC_OR_PARTITION' });
    for (let all = 0; all < PARTITIONS; all++) (await broker.request()).succeed();
    await vi.waitFor(() => expect(source.stored).toBe(40));
    expect(broker.connections).toBe(2);
    for (const written of Object.values(broker.written)) {
      const firstCopies = [...new Set(written.map(Number))];
      expect(firstCopies).toEqual(firstCopies.toSorted((a, b) => a - b));
    }
  });

  it('sets aside a record that the broker refuses, and writes those around it', async () => {
    const source = new Numbers(160);
    const broker = start(source);
    const isRefused = ({ messages }: Request) => messages.some(({ value }) => String(value) === '100');
    void (async () => {
      for (;;) {
        const request = await broker.request();
        if (isRefused(request)) request.fail({ type: 'MESSAGE_TOO_LARGE' });
        else request.succeed();
      }
    })().catch(() => undefined);
    await vi.waitFor(() => expect(source.stored).toBe(160));
    expect(source.refused).toEqual([100]);
    expect(numbers(broker)).toHaveLength(159);
    expect(broker.connections).toBe(1);
  });

  it('sends nothing more once it has lost its right', async () => {
    const source = new Numbers(16);
    const broker = start(source);
    const held = [];
    for (let all = 0; all < PARTITIONS; all++) held.push(await broker.request());
    source.add(16);
    source.isOurs = false;
    for (const request of held) request.succeed();
    await vi.waitFor(() => expect(numbers(broker)).toHaveLength(16));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(broker.requests).toEqual([]);
  });

  it('moves on over records of other shards, and tells the partitions of its own how far it is', async () => {
    const source = new Numbers(41, { index: 1, of: 2 });
    const broker = start(source);
    const told = new Set<number>();
    void (async () => {
      for (;;) {
        const request = await broker.request();
        if (request.messages.some(({ value }) => String(value) === 'up to 41')) told.add(request.partition);
        request.succeed();
      }
    })().catch(() => undefined);
    await vi.waitFor(() => expect(source.stored).toBe(41));
    await vi.waitFor(() => expect(told).toEqual(new Set([1, 3])));
    expect(numbers(broker).filter(Number.isFinite)).toHaveLength(20);
  });

  it('writes what it has begun before it leaves a shard to another process', async () => {
    const source = new Numbers(40);
    let mustRelease = false;
    let released = 0;
    const broker = start(source, {
      ...allowed,
      mayTake: async () => !mustRelease,
      mustRelease: async () => mustRelease,
      released: () => void (released += 1),
    });
    const held = [];
    for (let all = 0; all < PARTITIONS; all++) held.push(await broker.request());
    mustRelease = true;
    for (const request of held) request.succeed();
    await vi.waitFor(() => expect(source.stored).toBe(40));
    await new Promise((resolve) => setTimeout(resolve, 50));
    source.add(40);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(broker.requests).toEqual([]);
    // Whoever asks whether it must release has counted it as released.
    expect([source.taken, released]).toEqual([1, 0]);
    mustRelease = false;
    for (let all = 0; all < PARTITIONS; all++) (await broker.request()).succeed();
    await vi.waitFor(() => expect(source.stored).toBe(80), { timeout: 3_000 });
  });

  it('stays below the largest request of a broker', async () => {
    const source = new Numbers(0);
    const broker = start(source);
    const large = 'x'.repeat(300_000);
    const records = [1, 2, 3, 4, 5].map((number) => ({ ...record(number), key: 'one', value: large }));
    source.read = async () => ({ records: records.splice(0), upTo: null, isAll: true });
    source.add(1);
    const sizes: number[] = [];
    for (let sent = 0; sent < 5; sent += sizes.at(-1) ?? 0) {
      const request = await broker.request();
      sizes.push(request.messages.length);
      request.succeed();
    }
    expect(sizes).toEqual([2, 2, 1]);
  });
});
