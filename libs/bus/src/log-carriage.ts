import type { Sequencer } from './postgres/sequencer.js';

/** Something that carries the PostgreSQL log elsewhere. */
interface LogCarrier {
  start(): Promise<void>;
}

/** Keeps the log moving: from the outbox into the log and, where one is configured, on to Kafka. Run by `delivery`. */
export class LogCarriage {
  constructor(
    private readonly sequencer: Sequencer,
    private readonly carrier: LogCarrier | null,
  ) {}

  /** Begins in the background; ends through `Shutdown`. */
  async start(): Promise<void> {
    this.sequencer.start();
    await this.carrier?.start();
  }
}
