import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from '../fixtures/self-signed-certificate.js';

interface RecorderOptions {
  /** Milliseconds from the final dot to its reply. */
  dotMs?: number;
  /** Offers STARTTLS. */
  tls?: Certificate;
  /** What it does at the end of a mail. */
  dot?: 'answer' | 'answer and close' | 'say goodbye' | 'close' | 'reset before it';
}

/** One recipient of one mail that reached its final dot here; `at` is `Date.now()`, as in all lines. */
export interface Arrival {
  subject: string;
  recipient: string;
  /** SHA-256 of the bytes between DATA and the dot, un-stuffed. */
  hash: string;
  at: number;
}

/**
 * Mail server and webhook endpoint in a process of their own, see `recorder.mjs`: they answer while this thread is busy,
 * and what they wrote counts as delivered, whatever became of the answer.
 */
export class Recorder {
  /** Recipients with a final reply, and webhook requests, both with repetitions. Up to date within a tenth of a second. */
  counts = { outcomes: 0, requests: 0 };

  private constructor(
    private readonly child: ChildProcess,
    private readonly dir: string,
    readonly ports: { smtp: number; http: number },
  ) {
    child.on('message', (counts) => (this.counts = counts as Recorder['counts']));
  }

  static async start(options: RecorderOptions = {}): Promise<Recorder> {
    const dir = mkdtempSync(join(tmpdir(), 'postloft-recorder-'));
    const script = new URL('./recorder.mjs', import.meta.url);
    const child = fork(script, [JSON.stringify({ dir, ...options })], { execArgv: [] });
    const [ports] = (await once(child, 'message')) as [Recorder['ports']];
    return new Recorder(child, dir, ports);
  }

  /** In the order in which they came. */
  arrivals(): Arrival[] {
    return [...this.lines<Arrival>('arrivals')];
  }

  /** One by one, because a large run has more lines than fit into memory as objects. */
  *lines<T>(name: 'arrivals' | 'deferrals' | 'webhooks'): Generator<T> {
    const text = readFileSync(join(this.dir, name), 'utf8');
    for (let at = 0, end = text.indexOf('\n'); end >= 0; at = end + 1, end = text.indexOf('\n', at))
      yield JSON.parse(text.slice(at, end)) as T;
  }

  async close(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill();
    await ended;
    rmSync(this.dir, { recursive: true, force: true });
  }
}
