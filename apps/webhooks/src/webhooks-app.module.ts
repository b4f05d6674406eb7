import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { EventLog } from '#libs/bus';
import { Shutdown } from '#libs/kernel';
import { WebhookDispatcher, WebhookFanOut, WebhooksModule } from '#libs/webhooks';

const BATCH = 1000;

/** The event log out to customers' URLs. The database and the log come from the program that imports this part. */
@Module({ imports: [WebhooksModule] })
export class WebhooksAppModule implements OnApplicationBootstrap {
  constructor(
    private readonly eventLog: EventLog,
    private readonly fanOut: WebhookFanOut,
    private readonly dispatcher: WebhookDispatcher,
    private readonly shutdown: Shutdown,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.shutdown.on('work', 'webhook dispatcher', () => this.dispatcher.stop());
    await this.dispatcher.start();
    await this.eventLog.consume({
      consumer: 'webhooks',
      batchSize: BATCH,
      handle: (batch) => this.fanOut.handle(batch),
    });
  }
}
