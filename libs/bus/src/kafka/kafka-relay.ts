import type { Kafka } from 'kafkajs';
import { backoffMs, sleep, WakeSignal, type Config, type Log, type Shutdown } from '#libs/kernel';
import type { RelaySource, SourceRecord } from '../relay-source.js';
import type { FairShare } from '../shards/fair-share.js';
import { ensureTopic, topicOf, type TopicName } from './topics.js';
import { TopicWriter, type Entry } from './topic-writer.js';

/** Records per read. */
const READ_RECORDS = 2_000;
/** Reading pauses while so much is not written yet. */
const MAX_UNWRITTEN_RECORDS = 10_000;
const MAX_UNWRITTEN_BYTES = 16 * 1024 * 1024;
const POLL_MS = 1_000;
const STANDBY_MS = 500;
/** The position is stored at most this often while records are being written. */
const STORE_EVERY_MS = 100;
const MARK_EVERY_MS = 900;
/** How long a stop waits for records in flight; afterwards they are repeated after the next start. */
const STOP_GRACE_MS = 3_000;

/**
 * Copies a source to a Kafka topic. The stored position moves to the lowest record that is not on all in-sync replicas, so
 * records behind it may be written twice, with the same `event-id`, but never out of order.
 */
export class KafkaRelay<P> {
  private readonly topic: string;
  private readonly signal = new WakeSignal();
  private readonly stopping = new AbortController();
  private loop: Promise<void> | undefined;
  private failures = 0;

  constructor(
    private readonly source: RelaySource<P>,
    topic: TopicName,
    private readonly parts: { kafka: Kafka; config: Config; log: Log; shutdown: Shutdown; share: RelayShare },
  ) {
    this.topic = topicOf(parts.config, topic);
  }

  start(): void {
    if (this.loop || this.parts.shutdown.begun) return;
    this.loop = this.run();
    this.parts.shutdown.on('work', `kafka relay ${this.source.name}`, async () => {
      this.stopping.abort();
      this.signal.notify();
      await this.loop;
    });
  }

  /** Writes records beside the copying, in whatever process. @throws if they are not written */
  async write(records: readonly SourceRecord<P>[]): Promise<void> {
    const { kafka, config, log } = this.parts;
    const signal = new WakeSignal();
    const onProgress = () => signal.notify();
    const writer = await TopicWriter.open({
      kafka,
      topic: this.topic,
      config,
      log,
      partitions: await ensureTopic(kafka, this.topic, config),
      check: () => undefined,
      onProgress,
    });
    try {
      const entries = records.map((record) => writer.add(toMessage(record)));
      writer.flush();
      while (!writer.failure && entries.some(({ isWritten }) => !isWritten)) await signal.wait(POLL_MS);
      if (writer.failure) throw writer.failure;
    } finally {
      writer.close();
    }
  }

  private async run(): Promise<void> {
    const unsubscribe = this.source.onNew(() => this.signal.notify());
    while (!this.stopping.signal.aborted) {
      try {
        await this.copy();
      } catch (error) {
        this.failures += 1;
        const { message: reason } = error as Error;
        this.parts.log.warn('kafka relay: begins again', { topic: this.topic, reason, failures: this.failures });
        await sleep(backoffMs(this.failures), this.stopping.signal);
      }
    }
    unsubscribe();
  }

  /** From taking the position until an error, the stop, or until another process is to take it. */
  private async copy(): Promise<void> {
    const { source, stopping } = this;
    const { share } = this.parts;
    while (!stopping.signal.aborted && !(await this.take())) await sleep(STANDBY_MS, stopping.signal);
    let isCounted = !stopping.signal.aborted;
    let writer: TopicWriter | undefined;
    try {
      writer = isCounted ? await beforeStop(this.open(), stopping.signal) : undefined;
      if (!writer) return;
      const mayGoOn = async () => !stopping.signal.aborted && (isCounted = !(await share.mustRelease()));
      const parts = { source, writer, signal: this.signal, stopping: stopping.signal, mayGoOn };
      await new Copy(parts).run(() => (this.failures = 0));
    } finally {
      if (isCounted) share.released();
      writer?.close();
      await source.release();
    }
  }

  private async take(): Promise<boolean> {
    const { share } = this.parts;
    if (!(await share.mayTake())) return false;
    // Before the query: the shards of this process must not take more than it may have together.
    share.taken();
    const isTaken = await this.source.take().catch((error: unknown) => {
      share.released();
      throw error;
    });
    if (!isTaken) share.released();
    return isTaken;
  }

  /** @throws if Kafka is unreachable or refuses, or if other processes have divided the work in another way */
  private async open(): Promise<TopicWriter> {
    const { kafka, config, log } = this.parts;
    const { source, topic } = this;
    const partitions = await source.begin(await ensureTopic(kafka, topic, config));
    if (partitions === null)
      throw new Error('other programs copy with another EVENT_LOG_SHARDS or number of partitions and must end first');
    const check = () => source.check();
    const onProgress = () => this.signal.notify();
    return TopicWriter.open({ kafka, topic, config, log, partitions, check, onProgress });
  }
}

/** How many shards this process may copy. */
type RelayShare = Pick<FairShare, 'mayTake' | 'taken' | 'released' | 'mustRelease'>;

interface CopyParts<P> {
  source: RelaySource<P>;
  writer: TopicWriter;
  signal: WakeSignal;
  stopping: AbortSignal;
  mayGoOn: () => Promise<boolean>;
}

/** The copying with one writer. */
class Copy<P> {
  /** In the order of the source. */
  private unwritten: { entry: Pick<Entry, 'isWritten'>; position: P }[] = [];
  /** The newest position that is not stored yet. */
  private reached: { position: P } | null = null;
  private storedAt = -Infinity;
  private marked: string | null = null;
  private markedAt = -Infinity;

  constructor(private readonly parts: CopyParts<P>) {}

  async run(onSuccess: () => void): Promise<void> {
    const { mayGoOn, signal, source } = this.parts;
    while (await mayGoOn()) {
      source.check();
      const isAll = await this.readMore();
      this.mark();
      this.parts.writer.flush();
      if (this.collect()) onSuccess();
      await this.store(isAll);
      if (isAll || this.isFull) await signal.wait(this.waitMs());
    }
    await this.finish();
  }

  private get isFull(): boolean {
    return this.unwritten.length >= MAX_UNWRITTEN_RECORDS || this.parts.writer.bytes >= MAX_UNWRITTEN_BYTES;
  }

  /** True if the source has no more records at the moment. */
  private async readMore(): Promise<boolean> {
    if (this.isFull) return false;
    const { records, upTo, isAll } = await this.parts.source.read(READ_RECORDS);
    for (const record of records) {
      const entry = this.parts.writer.add(toMessage(record), (error) => this.parts.source.refuse(record, error));
      this.unwritten.push({ entry, position: record.position });
    }
    // What belongs to other shards, or was deleted, is not read again either.
    if (upTo !== null) this.unwritten.push({ entry: { isWritten: true }, position: upTo });
    return isAll;
  }

  private mark(): void {
    const now = performance.now();
    if (now - this.markedAt < MARK_EVERY_MS) return;
    const marker = this.parts.source.marker();
    if (marker === null || marker.value === this.marked) return;
    this.marked = marker.value;
    this.markedAt = now;
    const message = { value: Buffer.from(marker.value), headers: { 'event-type': marker.type } };
    this.parts.writer.addToAll(message, this.parts.source.shard);
  }

  /** Moves on to the lowest record that is not written; true if it moved. @throws if the writer failed */
  private collect(): boolean {
    const { failure } = this.parts.writer;
    if (failure) throw failure;
    const unwritten = this.unwritten.findIndex(({ entry }) => !entry.isWritten);
    const written = unwritten < 0 ? this.unwritten.length : unwritten;
    if (written === 0) return false;
    this.reached = { position: this.unwritten[written - 1].position };
    this.unwritten = this.unwritten.slice(written);
    return true;
  }

  private async store(isIdle: boolean): Promise<void> {
    const now = performance.now();
    const isDue = now - this.storedAt >= STORE_EVERY_MS || (isIdle && this.unwritten.length === 0);
    if (this.reached === null || !isDue) return;
    await this.parts.source.advance(this.reached.position, this.parts.stopping);
    this.reached = null;
    this.storedAt = now;
  }

  private waitMs(): number {
    return this.reached === null ? POLL_MS : STORE_EVERY_MS;
  }

  /** Waits for records in flight, then stores the position. */
  private async finish(): Promise<void> {
    const until = performance.now() + STOP_GRACE_MS;
    for (this.collect(); this.unwritten.length > 0 && performance.now() < until; this.collect())
      await this.parts.signal.wait(Math.max(0, until - performance.now()));
    this.storedAt = -Infinity;
    await this.store(true);
  }
}

const toMessage = <P>({ id, type, key, value, at }: SourceRecord<P>) => ({
  key: Buffer.from(key),
  value: Buffer.from(value),
  timestamp: String(at),
  headers: { 'event-id': id, 'event-type': type },
});

/** Undefined if the process stops before: with a broker that does not respond, opening takes longer than a stop may. */
async function beforeStop(opening: Promise<TopicWriter>, stopping: AbortSignal): Promise<TopicWriter | undefined> {
  const stopped = new Promise<undefined>((resolve) => {
    if (stopping.aborted) resolve(undefined);
    else stopping.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const writer = await Promise.race([opening, stopped]);
  if (!writer) opening.then((late) => late.close()).catch(() => undefined);
  return writer;
}
