import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { EventLog } from '#libs/bus';
import { Log, Shutdown } from '#libs/kernel';
import { WebhookDispatcher, WebhookFanOut, WebhookRetention, WebhooksModule } from '#libs/webhooks';

const BATCH = 1000;
/** Under load an event waits so long for others: a batch costs as much as tens of events. */
const CROWD_LINGER_MS = 100;
const PRUNE_EVERY_MS = 3600_000;

/** The event log out to customers' URLs. The database and the log come from the program that imports this part. */
@Module({ imports: [WebhooksModule] })
export class WebhooksAppModule implements OnApplicationBootstrap {
  constructor(
    private readonly eventLog: EventLog,
    private readonly fanOut: WebhookFanOut,
    private readonly dispatcher: WebhookDispatcher,
    private readonly retention: WebhookRetention,
    private readonly shutdown: Shutdown,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const pruning = setInterval(() => void this.prune(), PRUNE_EVERY_MS);
    this.shutdown.on('work', 'webhook dispatcher', () => {
      clearInterval(pruning);
      return this.dispatcher.stop();
    });
    await this.dispatcher.start();
    await this.eventLog.consume({
      consumer: 'webhooks',
      batchSize: BATCH,
      crowdLinger: CROWD_LINGER_MS,
      handle: (batch) => this.fanOut.handle(batch),
    });
  }

  private async prune(): Promise<void> {
    try {
      const removed = await this.retention.prune();
      if (removed > 0) this.log.info('removed webhook events beyond their keeping', { events: removed });
    } catch (error) {
      this.log.warn('removing old webhook events failed', { reason: (error as Error).message });
    }
  }
}
