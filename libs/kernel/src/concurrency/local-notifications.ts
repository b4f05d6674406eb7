import { EventEmitter } from 'node:events';

export type NotificationTopic = 'due-mail' | 'due-domains' | 'outbox' | 'log' | 'due-webhooks' | 'webhook-replays';

/**
 * Tells loops of the same process that there is new work. A hint only: every loop polls as well, because in the distributed
 * topology the work may come from another process.
 */
export class LocalNotifications {
  private readonly emitter = new EventEmitter().setMaxListeners(0);

  notify(topic: NotificationTopic): void {
    this.emitter.emit(topic);
  }

  /** Calls back on each notification; returns the function that unsubscribes. */
  on(topic: NotificationTopic, callback: () => void): () => void {
    this.emitter.on(topic, callback);
    return () => this.emitter.off(topic, callback);
  }
}
