import { newId, wholeAccount } from '#libs/contracts';
import pg from 'pg';
import type { OpenTestDatabase } from '../persistence/test-database.js';
import { until } from '../timing/until.js';
import { WebhookReceiver } from './webhook-receiver.js';
import { webhooksDatabase, WebhooksProcess, type DeliveryRow } from './webhooks-harness.js';

/** What a file of tests about webhooks plays on: a database, a receiver, and processes that end with each test. */
export class WebhooksFixture {
  /** Another one for each test. */
  accountId = newId('acc');
  private readonly processes: WebhooksProcess[] = [];

  private constructor(
    readonly db: OpenTestDatabase,
    readonly receiver: WebhookReceiver,
  ) {}

  static async start(): Promise<WebhooksFixture> {
    return new WebhooksFixture(await webhooksDatabase(), await WebhookReceiver.start());
  }

  newProcess(settings: Record<string, string> = {}, program: 'webhooks' | 'standalone' = 'webhooks'): WebhooksProcess {
    const made = new WebhooksProcess(this.db, settings, program);
    this.processes.push(made);
    return made;
  }

  /** A process that sends. */
  async running(settings: Record<string, string> = {}): Promise<WebhooksProcess> {
    const made = this.newProcess(settings);
    await made.dispatcher.start();
    return made;
  }

  subscribe(to: WebhooksProcess, path: string, events = ['*']) {
    return to.subscriptions.create(wholeAccount(this.accountId), { url: this.receiver.url(path), events });
  }

  async deliveries(webhookId: string): Promise<DeliveryRow[]> {
    const { rows } = await this.db.database.query<DeliveryRow>(
      'SELECT * FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY id',
      [webhookId],
    );
    return rows;
  }

  /** The deliveries of an endpoint as soon as none is pending any more. */
  finished(webhookId: string, withinMs = 15_000): Promise<DeliveryRow[]> {
    const all = async () => {
      const rows = await this.deliveries(webhookId);
      return rows.length > 0 && rows.every((row) => row.status !== 'pending') && rows;
    };
    return until(all, { withinMs, everyMs: 20, what: 'the end of all deliveries' });
  }

  /** Every connection of our pool breaks, and for `ms` no statement on deliveries succeeds. */
  async outage(ms: number): Promise<void> {
    const client = new pg.Client(this.db.url);
    await client.connect();
    await client.query('ALTER TABLE webhook_deliveries RENAME TO away');
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await new Promise((resolve) => setTimeout(resolve, ms));
    await client.query('ALTER TABLE away RENAME TO webhook_deliveries');
    await client.end();
  }

  /** After each test. */
  async clear(): Promise<void> {
    const stopped = this.processes.splice(0).map((made) => made.stop());
    this.receiver.hangUp();
    await Promise.all(stopped);
    for (const table of ['webhook_deliveries', 'webhook_attempts', 'webhooks'])
      await this.db.database.query(`DELETE FROM ${table}`);
    this.accountId = newId('acc');
  }

  async close(): Promise<void> {
    await this.receiver.close();
    await this.db.close();
  }
}
