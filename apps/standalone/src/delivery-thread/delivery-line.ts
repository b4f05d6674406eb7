import type { MessagePort } from 'node:worker_threads';
import type { INestApplicationContext } from '@nestjs/common';
import { HandOff, type DeliveryJob } from '#libs/emails';
import { Health, Log, Metrics, Shutdown, Wakeups } from '#libs/kernel';
import { Worker } from '#libs/persistence';
import { monotonicMs, type Answers, type FromThread, type Question, type ToThread } from './messages.js';

const STATE_MS = 500;
/** What changes close together is told together. */
const TELL_MS = 5;
/** Before claims that no job stands for are freed (5 s at least): what comes later than this may be somebody else's. */
const LATE_MS = 4_000;

/** The thread's end of the line to the rest of the standalone program. */
export class DeliveryLine {
  private readonly handOff: HandOff;
  private readonly worker: Worker;
  private readonly full = new Set<string>();
  private left = { jobs: 0, bytes: 0 };
  private telling: NodeJS.Timeout | undefined;

  constructor(
    private readonly app: INestApplicationContext,
    private readonly port: MessagePort,
  ) {
    this.handOff = app.get(HandOff, { strict: false });
    this.worker = app.get(Worker, { strict: false });
  }

  open(): void {
    this.app.get(Wakeups).on('suppressing', (entries) => this.post({ kind: 'suppressing', entries }));
    this.port.on('message', (message: ToThread) => this.hear(message));
    this.tellState();
    this.post({ kind: 'ready', workerId: this.worker.id });
    setInterval(() => this.tellState(), STATE_MS).unref();
  }

  private hear(message: ToThread): void {
    switch (message.kind) {
      case 'jobs':
        this.take(message.jobs, monotonicMs() - message.at);
        break;
      case 'wake':
        this.app.get(Wakeups).ring(message.topic);
        break;
      case 'question':
        void this.answer(message).then((answer) => this.post({ kind: 'answer', id: message.id, answer }));
    }
  }

  private take(jobs: DeliveryJob[], lateMs: number): void {
    const left = (job: DeliveryJob) => this.count(job);
    if (lateMs > LATE_MS) {
      // Their claims are freed like all that no job stands for.
      this.app.get(Log).warn('delivery: jobs came too late to be taken', { jobs: jobs.length, ms: lateMs });
      jobs.forEach(left);
      return;
    }
    for (const { content } of jobs) if (content) content.body = asBuffer(content.body);
    this.handOff.adopt(jobs, left);
    for (const { domain } of jobs) if (!this.handOff.welcomes([{ domain }])) this.full.add(domain);
    if (this.full.size > 0) this.tellSoon();
  }

  private count({ reservedBytes }: DeliveryJob): void {
    this.left.jobs += 1;
    this.left.bytes += reservedBytes;
    this.tellSoon();
  }

  private tellSoon(): void {
    this.telling ??= setTimeout(() => this.tellState(), TELL_MS);
  }

  private tellState(): void {
    clearTimeout(this.telling);
    this.telling = undefined;
    for (const domain of this.full) if (this.handOff.welcomes([{ domain }])) this.full.delete(domain);
    const { left, worker, full } = this;
    this.left = { jobs: 0, bytes: 0 };
    this.post({ kind: 'state', left, state: { alive: worker.alive, life: worker.life, full: [...full] } });
  }

  private async answer(question: Question): Promise<Answers[Question['what']]> {
    switch (question.what) {
      case 'health':
        return this.app.get(Health).failures();
      case 'metrics':
        return this.app.get(Metrics).snapshot();
      case 'stop':
        await this.app.get(Shutdown).enter(question.stage, question.withinMs);
        return null;
    }
  }

  private post(message: FromThread): void {
    this.port.postMessage(message, []);
  }
}

/** A buffer arrives as what it is to JavaScript itself. */
const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
