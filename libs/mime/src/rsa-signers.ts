import type { KeyObject } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** The text has one character for each octet. */
type Task = [key: KeyObject, text: string];
type Result = string | Error;

/** A thread keeps nothing between two signatures. Its old objects have no limit: one that is reached ends the process. */
const MEMORY = { maxYoungGenerationSizeMb: 4 };
/** Each makes some thousand signatures a second: four make more than one event loop can ask for. */
const MOST_THREADS = 4;

interface Waiting {
  resolve: (signature: string) => void;
  reject: (error: Error) => void;
}

/**
 * Makes RSA signatures in threads of their own with less priority than the event loop. A signature takes as long as all else
 * that is done for a mail: begun in the process's thread pool, it takes the processor from the loop that began it as often
 * as not, and the loop is what everything else waits for.
 */
export class RsaSigners {
  private threads: SignerThread[] = [];

  constructor(private readonly most = Math.min(availableParallelism(), MOST_THREADS)) {}

  /**
   * RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 §8.2) of a text with one character for each octet; in base64.
   * @throws what node:crypto throws for a key that does not fit.
   */
  sign(key: KeyObject, text: string): Promise<string> {
    return this.leastBusy().sign(key, text);
  }

  private leastBusy(): SignerThread {
    let best: SignerThread | undefined;
    for (const thread of this.threads) if (!best || thread.open < best.open) best = thread;
    if (best && (best.open === 0 || this.threads.length >= this.most)) return best;
    const another = new SignerThread(() => {
      this.threads = this.threads.filter((thread) => thread !== another);
    });
    this.threads.push(another);
    return another;
  }
}

class SignerThread {
  private readonly worker = new Worker(`(${signForEver.toString()})()`, { eval: true, resourceLimits: MEMORY });
  /** In the order in which it answers. */
  private readonly waiting: Waiting[] = [];
  private batch: Task[] = [];

  constructor(private readonly ended: () => void) {
    this.worker.unref();
    this.worker.on('message', (results: Result[]) => {
      for (const result of results) this.settle(result);
    });
    this.worker.on('error', (error) => this.end(error));
    this.worker.on('exit', () => this.end(new Error('the thread that signs has ended')));
  }

  get open(): number {
    return this.waiting.length;
  }

  sign(key: KeyObject, text: string): Promise<string> {
    // What one turn of the event loop asks for goes together: the message costs more than what is in it.
    if (this.batch.length === 0) queueMicrotask(() => this.post());
    this.batch.push([key, text]);
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  private post(): void {
    const { batch } = this;
    this.batch = [];
    this.worker.postMessage(batch);
  }

  private settle(result: Result): void {
    const waiting = this.waiting.shift();
    if (typeof result === 'string') waiting?.resolve(result);
    else waiting?.reject(result);
  }

  private end(error: Error): void {
    this.ended();
    while (this.waiting.length > 0) this.settle(error);
  }
}

/** What a thread does. Its text is all that it gets, so it names nothing outside itself. */
function signForEver(): void {
  const { sign } = process.getBuiltinModule('node:crypto');
  const { readlinkSync } = process.getBuiltinModule('node:fs');
  const { constants, setPriority } = process.getBuiltinModule('node:os');
  const { parentPort } = process.getBuiltinModule('node:worker_threads');
  const SIGNED_TOGETHER = 4;
  try {
    // Linux has a priority for each thread; other systems have no such link.
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It signs all the same.
  }
  const signed = ([key, text]: Task): Result => {
    try {
      return sign('sha256', Buffer.from(text, 'latin1'), key).toString('base64');
    } catch (error) {
      return error as Error;
    }
  };
  parentPort?.on('message', (batch: Task[]) => {
    for (let at = 0; at < batch.length; at += SIGNED_TOGETHER)
      parentPort.postMessage(batch.slice(at, at + SIGNED_TOGETHER).map(signed));
  });
}
