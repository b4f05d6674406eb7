import type { KeyObject } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** The text has one character for each octet. */
type Task = [key: KeyObject, text: string];
type Result = string | Error;

/** A thread keeps no data between signatures. The old generation has no limit, because reaching it ends the process. */
const MEMORY = { maxYoungGenerationSizeMb: 4 };
/** Each makes some thousand signatures a second, so four make more than one event loop can request. */
const MAX_THREADS = 4;

interface Waiting {
  resolve: (signature: string) => void;
  reject: (error: Error) => void;
}

/**
 * Makes RSA signatures in threads with a lower priority than the event loop. A signature takes as long as all other work for
 * a mail. In the thread pool of the process it would compete with the event loop, for which all other work waits: relaying
 * RSA-signed mail of 5 KB over 10 sessions on two cores, 885 mails a second instead of 1,105 to 1,214.
 */
export class RsaSigners {
  private threads: SignerThread[] = [];

  constructor(private readonly maxThreads = Math.min(availableParallelism(), MAX_THREADS)) {}

  /**
   * RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 §8.2) of a text with one character for each octet, in base64.
   * @throws what node:crypto throws for a key that does not fit.
   */
  sign(key: KeyObject, text: string): Promise<string> {
    return this.leastBusy().sign(key, text);
  }

  private leastBusy(): SignerThread {
    let best: SignerThread | undefined;
    for (const thread of this.threads) if (!best || thread.open < best.open) best = thread;
    if (best && (best.open === 0 || this.threads.length >= this.maxThreads)) return best;
    const another = new SignerThread(() => {
      this.threads = this.threads.filter((thread) => thread !== another);
    });
    this.threads.push(another);
    return another;
  }
}

class SignerThread {
  private readonly worker = new Worker(`(${signInThread.toString()})()`, { eval: true, resourceLimits: MEMORY });
  /** In the order of the results. */
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
    // Texts of one event loop turn are sent together, because a message costs more than its content.
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

/** The code of a thread. It is passed as source text, so it must not refer to anything outside itself. */
function signInThread(): void {
  const { sign } = process.getBuiltinModule('node:crypto');
  const { readlinkSync } = process.getBuiltinModule('node:fs');
  const { constants, setPriority } = process.getBuiltinModule('node:os');
  const { parentPort } = process.getBuiltinModule('node:worker_threads');
  const SIGNED_TOGETHER = 4;
  try {
    // Linux has a priority for each thread. Other systems lack this link.
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The thread signs with normal priority.
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
