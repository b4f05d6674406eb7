import { Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { EventLog, Relays } from '#libs/bus';
import { databaseClock, Log, Shutdown } from '#libs/kernel';
import { Database, RetentionGuard, untilAvailable } from '#libs/persistence';
import {
  WebhookDispatcher,
  webhookDeliveryRecords,
  WebhookFanOut,
  WebhookRetention,
  WebhooksModule,
} from '#libs/webhooks';

const BATCH_SIZE = 1000;
/** Wait for a fuller batch under load: a batch costs as much as tens of events. */
const BURST_LINGER_MS = 100;
const PRUNE_INTERVAL_MS = 10 * 60_000;

/** Deletes expired webhook events periodically. */
@Injectable()
class PruneWebhooks implements OnApplicationBootstrap {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly retention: WebhookRetention,
    private readonly guard: RetentionGuard,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.on('work', 'webhook retention', () => clearInterval(this.timer));
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.prune(), PRUNE_INTERVAL_MS);
  }

  private async prune(): Promise<void> {
    try {
      await this.retention.pruneRemoved();
      if (!(await this.guard.mayExpire(databaseClock.now()))) return;
      const removed = await this.retention.prune();
      if (removed > 0) this.log.info('removed expired webhook events', { events: removed });
    } catch (error) {
      this.log.warn('removing expired webhook events failed', { reason: (error as Error).message });
    }
  }
}

/** Sends the event log to the endpoints of customers. The importing program provides the database and the log. */
@Module({ imports: [WebhooksModule], providers: [PruneWebhooks] })
export class WebhooksAppModule implements OnApplicationBootstrap {
  constructor(
    private readonly eventLog: EventLog,
    private readonly relays: Relays,
    private readonly database: Database,
    private readonly fanOut: WebhookFanOut,
    private readonly dispatcher: WebhookDispatcher,
    private readonly shutdown: Shutdown,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.shutdown.on('work', 'webhook dispatcher', () => this.dispatcher.stop());
    await untilAvailable('webhooks', this.log, () => this.dispatcher.start());
    await this.eventLog.consume({
      consumer: 'webhooks',
      batchSize: BATCH_SIZE,
      burstLinger: BURST_LINGER_MS,
      handle: (batch) => this.fanOut.handle(batch),
    });
    // While no program `relay` runs.
    this.relays.startTable(webhookDeliveryRecords(this.database));
  }
}
