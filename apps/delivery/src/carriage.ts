import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LogCarriage } from '#libs/bus';

/** The delivery program gives committed events their place in the log and, where Kafka is set, carries them there. */
@Injectable()
export class Carriage implements OnApplicationBootstrap {
  constructor(private readonly carriage: LogCarriage) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.carriage.start();
  }
}
