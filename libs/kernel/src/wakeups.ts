import { EventEmitter } from 'node:events';

/**
 * "Look again now", between the parts of one process. A hint only: every loop also polls, because in the distributed
 * topology the news arises in another process.
 */
export type WakeupTopic = 'due-mail' | 'due-domains' | 'outbox' | 'log' | 'due-webhooks';

export class Wakeups {
  private readonly emitter = new EventEmitter().setMaxListeners(0);

  ring(topic: WakeupTopic): void {
    this.emitter.emit(topic);
  }

  /** Calls back on each ring; returns what ends it. */
  on(topic: WakeupTopic, callback: () => void): () => void {
    this.emitter.on(topic, callback);
    return () => this.emitter.off(topic, callback);
  }
}
