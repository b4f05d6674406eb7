import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { Relays } from '#libs/bus';
import { Database } from '#libs/persistence';
import { attemptRecords } from '#libs/queue';
import { webhookDeliveryRecords } from '#libs/webhooks';

/** Copies the event log, delivery attempts and webhook deliveries to Kafka. Any number of copies share the work. */
@Module({})
export class RelayModule implements OnApplicationBootstrap {
  constructor(
    private readonly relays: Relays,
    private readonly database: Database,
  ) {}

  onApplicationBootstrap(): void {
    this.relays.startLog();
    this.relays.startTable(attemptRecords(this.database));
    this.relays.startTable(webhookDeliveryRecords(this.database));
  }
}
