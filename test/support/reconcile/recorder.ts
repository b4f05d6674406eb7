import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

interface Counts {
  outcomes: number;
  requests: number;
}

/** Mail server and webhook endpoint in a process of their own, see `recorder.mjs`. */
export class Recorder {
  /** Recipients with a final reply, and webhook requests, both with repetitions. Up to date within a tenth of a second. */
  counts: Counts = { outcomes: 0, requests: 0 };

  private constructor(
    private readonly child: ChildProcess,
    private readonly dir: string,
    readonly ports: { smtp: number; http: number },
  ) {
    child.on('message', (counts) => (this.counts = counts as Counts));
  }

  static async start(): Promise<Recorder> {
    const dir = mkdtempSync(join(tmpdir(), 'postloft-recorder-'));
    const child = fork(new URL('./recorder.mjs', import.meta.url), [JSON.stringify({ dir })], { execArgv: [] });
    const [ports] = (await once(child, 'message')) as [{ smtp: number; http: number }];
    return new Recorder(child, dir, ports);
  }

  /** Recipient, Message-ID and time of each recipient accepted. */
  arrivals(): AsyncGenerator<string[]> {
    return this.lines('arrivals');
  }

  /** Recipient and time of each temporary failure. */
  deferrals(): AsyncGenerator<string[]> {
    return this.lines('deferrals');
  }

  /** Event id, type and time of each webhook request. */
  webhooks(): AsyncGenerator<string[]> {
    return this.lines('webhooks');
  }

  async close(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill();
    await ended;
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** Line by line, because a large run has more lines than fit into memory as objects. */
  private async *lines(file: string): AsyncGenerator<string[]> {
    for await (const line of createInterface({ input: createReadStream(join(this.dir, file)) })) yield line.split(' ');
  }
}
