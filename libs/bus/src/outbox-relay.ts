import { Injectable } from '@nestjs/common';
import { Sequencer } from './postgres/sequencer.js';
import { Relays } from './relayed-table.js';

/** Moves events from the outbox to the log and, with Kafka and without a program `relay`, copies them there. */
@Injectable()
export class OutboxRelay {
  constructor(
    private readonly sequencer: Sequencer,
    private readonly relays: Relays,
  ) {}

  /** Begins in the background; ends through `Shutdown`. */
  async start(): Promise<void> {
    this.sequencer.start();
    this.relays.startLog();
  }
}
