import { Worker as Thread, type Transferable } from 'node:worker_threads';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HandOff, type DeliveryJob } from '#libs/emails';
import { Config, Health, Log, Metrics, Shutdown, Wakeups } from '#libs/kernel';
import {
  monotonicMs,
  TO_DELIVERY,
  type Answers,
  type FromThread,
  type Question,
  type ThreadData,
  type ThreadState,
  type ToThread,
} from './messages.js';

/** A thread that was not heard for this long gets no mail in memory; it speaks four times as often. */
const SILENT_MS = 2_000;
const STOPPING = ['work', 'flush', 'store'] as const;

/**
 * Delivery in a thread of its own: accepting mail and sending it use two cores, and neither waits for the other's turn of
 * the event loop. The thread is the delivery program as it is, on this process's engines; what it hears from here is what
 * a program beside this one would find in the database a moment later. Bodies change hands without a copy.
 */
@Injectable()
export class DeliveryThread implements OnApplicationBootstrap {
  private readonly thread: Thread;
  private readonly ready: Promise<string>;
  private state: ThreadState = { alive: false, life: 0, full: [] };
  private full: ReadonlySet<string> = new Set();
  private heardAt = -Infinity;
  private outgoing: DeliveryJob[] = [];
  private readonly questions = new Map<number, (answer: never) => void>();
  private asked = 0;
  private hasEnded = false;

  constructor(
    config: Config,
    private readonly handOff: HandOff,
    private readonly wakeups: Wakeups,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
    health: Health,
    metrics: Metrics,
  ) {
    const workerData: ThreadData = { settings: config.settings, home: config.home };
    this.thread = new Thread(new URL('./thread.js', import.meta.url), { workerData, name: 'delivery' });
    this.ready = this.listen();
    for (const topic of TO_DELIVERY) wakeups.on(topic, () => this.post({ kind: 'wake', topic }));
    health.register('delivery', () => this.problem());
    metrics.join(() => this.ask({ what: 'metrics' }).then((answer) => answer ?? []));
    for (const stage of STOPPING)
      shutdown.on(stage, 'delivery', async (withinMs) => {
        handOff.disconnect();
        await this.ask({ what: 'stop', stage, withinMs });
      });
  }

  async onApplicationBootstrap(): Promise<void> {
    const id = await this.ready;
    const alive = () => this.state.alive && performance.now() - this.heardAt < SILENT_MS;
    const life = () => this.state.life;
    this.handOff.connect({
      worker: {
        id,
        get alive() {
          return alive();
        },
        get life() {
          return life();
        },
      },
      welcomes: (domain) => !this.full.has(domain),
      take: (jobs) => this.send(jobs),
      isElsewhere: true,
    });
  }

  /** Resolves with the id of its worker once it delivers. @throws what kept it from starting */
  private listen(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.thread.on('message', (message: FromThread) => {
        if (message.kind === 'ready') resolve(message.workerId);
        else this.hear(message);
      });
      this.thread.on('error', (error) => {
        reject(error);
        this.log.error('the delivery thread failed', error);
      });
      this.thread.on('exit', () => this.end());
    });
  }

  private hear(message: Exclude<FromThread, { kind: 'ready' }>): void {
    switch (message.kind) {
      case 'state':
        this.heardAt = performance.now();
        this.state = message.state;
        this.full = new Set(message.state.full);
        this.handOff.cancel(message.left.jobs, message.left.bytes);
        break;
      case 'suppressing':
        this.wakeups.ring('suppressing', message.entries);
        break;
      case 'answer': {
        this.questions.get(message.id)?.(message.answer as never);
        this.questions.delete(message.id);
      }
    }
  }

  /** Without it nothing is delivered: the process ends as it would have ended by the same failure in its only thread. */
  private end(): void {
    this.hasEnded = true;
    for (const answered of this.questions.values()) answered(null as never);
    this.questions.clear();
    if (!this.shutdown.begun) void this.shutdown.run().then(() => process.exit(1));
  }

  /** What is handed over in one turn goes in one message. */
  private send(jobs: readonly DeliveryJob[]): void {
    if (this.outgoing.length === 0) setImmediate(() => this.flush());
    this.outgoing.push(...jobs);
  }

  private flush(): void {
    const jobs = this.outgoing.splice(0);
    this.post({ kind: 'jobs', jobs, at: monotonicMs() }, bodiesOf(jobs));
  }

  private async problem(): Promise<string | null> {
    const failing = await this.ask({ what: 'health' });
    if (failing === null) return 'its thread has ended';
    const [part] = Object.keys(failing);
    return part === undefined ? null : `${part}: ${failing[part]}`;
  }

  /** Null: it has ended. */
  private ask<Q extends Question>(question: Q): Promise<Answers[Q['what']] | null> {
    if (this.hasEnded) return Promise.resolve(null);
    return new Promise((resolve) => {
      const id = (this.asked += 1);
      this.questions.set(id, resolve);
      this.post({ kind: 'question', id, ...question });
    });
  }

  private post(message: ToThread, transfer: Transferable[] = []): void {
    this.thread.postMessage(message, transfer);
  }
}

/** The memory of the bodies, to be given away: nobody here needs a body after its commit. */
function bodiesOf(jobs: readonly DeliveryJob[]): ArrayBuffer[] {
  const memory = new Set<ArrayBuffer>();
  for (const { content } of jobs) {
    if (!content || content.body.length === 0) continue;
    // A small one lies beside others in a block that Node.js shares out.
    if (content.body.length < content.body.buffer.byteLength)
      content.body = Buffer.from(new Uint8Array(content.body).buffer);
    memory.add(content.body.buffer as ArrayBuffer);
  }
  return [...memory];
}
