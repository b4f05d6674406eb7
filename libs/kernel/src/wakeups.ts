import { EventEmitter } from 'node:events';

/**
 * "Look again now", between the parts of one process. A hint only: every loop also polls, because in the distributed
 * topology the news arises in another process.
 */
export interface Wakeup {
  'due-mail': [];
  'due-domains': [];
  outbox: [];
  log: [];
  'due-webhooks': [];
  /** Addresses that are being put on the suppression list of an account; before they are written. */
  suppressing: [entries: readonly { accountId: string; address: string }[]];
}
export type WakeupTopic = keyof Wakeup;

export class Wakeups {
  private readonly emitter = new EventEmitter().setMaxListeners(0);

  ring<T extends WakeupTopic>(topic: T, ...what: Wakeup[T]): void {
    this.emitter.emit(topic, ...what);
  }

  /** Calls back on each ring; returns what ends it. */
  on<T extends WakeupTopic>(topic: T, callback: (...what: Wakeup[T]) => void): () => void {
    this.emitter.on(topic, callback);
    return () => this.emitter.off(topic, callback);
  }
}
