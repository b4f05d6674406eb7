import { randomBytes } from 'node:crypto';
import { newId, type EmailEventBase, type LoggedEvent } from '#libs/contracts';
import {
  loadConfig,
  Log,
  Metrics,
  SecretBox,
  Shutdown,
  LocalNotifications,
  type Config,
  type Program,
} from '#libs/kernel';
import { Worker } from '#libs/persistence';
import {
  WebhookDispatcher,
  WebhookDeliveryLog,
  WebhookFanOut,
  WebhookFigures,
  WebhookRangeReplays,
  WebhookReplay,
  WebhookRetention,
  WebhookSecrets,
  WebhookSubscriptions,
} from '#libs/webhooks';
import { SubscriberLookup } from '../../../libs/webhooks/src/fan-out/subscriber-lookup.js';
import { WebhookAttempts } from '../../../libs/webhooks/src/delivery/delivery-attempt.js';
import { DeliveryQueue } from '../../../libs/webhooks/src/delivery/delivery-queue.js';
import { WebhookHttpClient } from '../../../libs/webhooks/src/delivery/http-client.js';
import { WebhookEntity } from '../../../libs/webhooks/src/endpoints/webhook.entity.js';
import { createTestDatabase, type OpenTestDatabase } from '../persistence/test-database.js';

const masterKey = randomBytes(32);

/** One delivery as the database has it. */
export interface DeliveryRow {
  id: string;
  webhook_id: string;
  event_id: string;
  event_type: string;
  body: string;
  status: string;
  attempts: number;
  due_at: Date | null;
  claimed_by: string | null;
  fence: number;
  last_status: number | null;
  last_error: string | null;
  last_latency_ms: number | null;
  last_response: string | null;
}

/** Everything of `libs/webhooks` as one process has it, on the database of the test file. */
export class WebhooksProcess {
  readonly config: Config;
  readonly worker: Worker;
  readonly queue: DeliveryQueue;
  readonly subscribers: SubscriberLookup;
  readonly secrets: WebhookSecrets;
  readonly subscriptions: WebhookSubscriptions;
  readonly log: WebhookDeliveryLog;
  readonly replay: WebhookReplay;
  readonly replays: WebhookRangeReplays;
  readonly figures: WebhookFigures;
  readonly retention: WebhookRetention;
  readonly fanOut: WebhookFanOut;
  readonly dispatcher: WebhookDispatcher;
  readonly metrics = new Metrics();
  private readonly shutdown = new Shutdown(Log.quiet());

  constructor(
    { database, dataSource, url }: OpenTestDatabase,
    settings: Record<string, string> = {},
    program: Program = 'webhooks',
  ) {
    this.config = loadConfig(program, {
      DATABASE_URL: url,
      CLICKHOUSE_URL: 'http://127.0.0.1:1',
      MASTER_KEY: masterKey.toString('base64'),
      ALLOW_PRIVATE_WEBHOOKS: 'true',
      WEBHOOK_RETRY_SCHEDULE: '50ms,100ms,150ms',
      WEBHOOK_TIMEOUT: '2s',
      ...settings,
    });
    const [log, notifications] = [Log.quiet(), new LocalNotifications()];
    const box = new SecretBox(this.config.settings.MASTER_KEY as Buffer);
    this.worker = new Worker(database, this.config, log, this.shutdown);
    this.queue = new DeliveryQueue(database, this.worker);
    const webhooks = dataSource.getRepository(WebhookEntity);
    this.subscribers = new SubscriberLookup(webhooks, this.config);
    this.secrets = new WebhookSecrets(database, box, log);
    this.subscriptions = new WebhookSubscriptions(webhooks, database, this.secrets, this.subscribers, this.config);
    this.log = new WebhookDeliveryLog(database);
    this.replay = new WebhookReplay(database, notifications, this.config);
    this.replays = new WebhookRangeReplays(database, notifications);
    this.figures = new WebhookFigures(database);
    this.retention = new WebhookRetention(database, this.config);
    this.fanOut = new WebhookFanOut(this.subscribers, database, notifications, this.config);
    const attempts = new WebhookAttempts(
      new WebhookHttpClient(this.config),
      this.secrets,
      this.config,
      log,
      this.metrics,
    );
    this.dispatcher = new WebhookDispatcher(
      this.queue,
      attempts,
      this.replays,
      this.worker,
      notifications,
      log,
      this.metrics,
    );
  }

  async stop(): Promise<void> {
    await this.dispatcher.stop();
    await this.shutdown.run();
  }
}

export const webhooksDatabase = (): Promise<OpenTestDatabase> => createTestDatabase([WebhookEntity]);

/** `count` events `email.queued` of one account, as the log hands them over. */
export function queuedEvents(accountId: string, count = 1): LoggedEvent[] {
  return Array.from({ length: count }, (_, i) => {
    const id = newId('em');
    const at = new Date().toISOString();
    const data: EmailEventBase = {
      id,
      email_id: id,
      created_at: at,
      message_id: `<${id}@example.com>`,
      from: 'Shop <shop@example.com>',
      to: ['b@example.net'],
      subject: 'Grüße 💌',
      tags: { order: '7' },
      recipient: 'b@example.net',
    };
    return {
      event: { id: newId('evt'), account_id: accountId, type: 'email.queued', created_at: at, data },
      key: id,
      sequence: 1,
      domainId: null,
      apiKeyId: null,
      test: false,
      position: i + 1,
    };
  });
}
