import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { SlowReader, type LiveStream } from './live-stream.js';
import type { SharedFramesLease } from './live-frames.js';

/** Close code: the client read too slowly. */
export const TOO_SLOW = 4510;
const END = Buffer.from('}');

/** A WebSocket as the transport of live operations. */
export class LiveSocket {
  private readonly operations = new Set<LiveOperation>();
  private stalled: NodeJS.Timeout | undefined;
  private listener: () => void = () => undefined;

  /** `connection` is the connection of the socket; nobody else writes frames to it but `socket`. */
  constructor(
    private readonly socket: WebSocket,
    private readonly connection: Duplex,
    private readonly stallMs: number,
  ) {
    connection.on('drain', () => this.drained());
    connection.once('close', () => clearTimeout(this.stalled));
  }

  /** Calls back when the client keeps up again. */
  onDrained(listener: () => void): void {
    this.listener = listener;
  }

  /** Whether the client keeps up. If not, `pump` of each operation and the listener are called again when it does. */
  isWritable(): boolean {
    if (this.socket.readyState !== this.socket.OPEN) return false;
    if (!this.connection.writableNeedDrain) return true;
    this.stalled ??= setTimeout(() => this.closeSlow(), this.stallMs);
    return false;
  }

  send(prefix: Buffer, payload: Buffer): void {
    this.socket.send(Buffer.concat([prefix, payload, END], prefix.length + payload.length + 1), { binary: false });
  }

  /** Closes with the hint of the operation that failed, or else of any that can resume. */
  closeSlow(failed?: LiveOperation): void {
    const hints = [...(failed ? [failed] : this.operations)].map((operation) => operation.resumeHint());
    this.socket.close(TOO_SLOW, hints.find((hint) => hint.startsWith('resume')) ?? 'Too slow');
  }

  add(operation: LiveOperation): void {
    this.operations.add(operation);
  }

  delete(operation: LiveOperation): void {
    this.operations.delete(operation);
  }

  private drained(): void {
    clearTimeout(this.stalled);
    this.stalled = undefined;
    for (const operation of this.operations) operation.pump();
    this.listener();
  }
}

/**
 * A subscription whose frames go to the socket directly, serialised once for all subscriptions that share them. For
 * graphql-ws it is an iterator without values, which ends with the operation.
 */
export class LiveOperation implements AsyncIterableIterator<never> {
  private readonly prefix: Buffer;
  private last: object | undefined;
  private isBusy = false;
  private isEnded = false;
  private finish: ((result: IteratorResult<never>) => void) | undefined;
  private fail: ((error: Error) => void) | undefined;

  constructor(
    id: string,
    private readonly stream: LiveStream,
    private readonly parts: { socket: LiveSocket; shared: SharedFramesLease },
  ) {
    this.prefix = Buffer.from(`{"id":${JSON.stringify(id)},"type":"next","payload":`);
  }

  /** Sends what there is, as far as the client keeps up. */
  pump(): void {
    const { socket, shared } = this.parts;
    while (!this.isBusy && !this.isEnded && socket.isWritable()) {
      const value = this.stream.take();
      if (value === undefined) break;
      const payload = shared.frames.of(value);
      if (payload instanceof Promise) return void this.sendLater(value, payload);
      this.send(value, payload);
    }
    const failure = this.stream.failure();
    if (failure !== undefined && !this.isBusy) this.failed(failure);
  }

  resumeHint(): string {
    return this.stream.resumeHint(this.last);
  }

  /** Called by graphql-ws, once the operation is registered. */
  next(): Promise<IteratorResult<never>> {
    if (this.isEnded) return Promise.resolve({ value: undefined, done: true });
    const ended = new Promise<IteratorResult<never>>((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
    });
    this.parts.socket.add(this);
    this.stream.onReady(() => this.pump());
    this.pump();
    return ended;
  }

  return(): Promise<IteratorResult<never>> {
    this.end();
    this.finish?.({ value: undefined, done: true });
    return Promise.resolve({ value: undefined, done: true });
  }

  throw(error: unknown): Promise<IteratorResult<never>> {
    void this.return();
    return Promise.reject(error instanceof Error ? error : new Error(String(error)));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private send(value: object, payload: Buffer): void {
    this.last = value;
    this.parts.socket.send(this.prefix, payload);
  }

  private async sendLater(value: object, payload: Promise<Buffer>): Promise<void> {
    this.isBusy = true;
    try {
      const settled = await payload;
      if (!this.isEnded) this.send(value, settled);
    } catch (error) {
      this.failed(error as Error);
    }
    this.isBusy = false;
    this.pump();
  }

  private failed(error: Error): void {
    if (this.isEnded) return;
    if (error instanceof SlowReader) this.parts.socket.closeSlow(this);
    else this.fail?.(error);
    this.end();
  }

  private end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.parts.socket.delete(this);
    this.stream.close();
    this.parts.shared.release();
  }
}
