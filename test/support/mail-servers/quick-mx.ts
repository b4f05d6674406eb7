import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { selfSignedCertificate } from '../fixtures/self-signed-certificate.js';

interface Message {
  port: number;
}

/** A mail server with STARTTLS in a thread of its own: it answers while the sender's thread is busy. */
export class QuickMx {
  /** Mails that it took to their end. */
  taken = 0;

  private constructor(
    private readonly worker: Worker,
    readonly port: number,
  ) {
    worker.on('message', () => (this.taken += 1));
  }

  /** `dot`: what it does at the end of a mail. */
  static async start(
    name: string,
    dot: 'answer' | 'answer and close' | 'say goodbye' | 'close' | 'reset before it',
  ): Promise<QuickMx> {
    const workerData = { ...selfSignedCertificate(name), dot };
    const worker = new Worker(new URL('./quick-mx.mjs', import.meta.url), { workerData });
    const [{ port }] = (await once(worker, 'message')) as [Message];
    return new QuickMx(worker, port);
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }
}
