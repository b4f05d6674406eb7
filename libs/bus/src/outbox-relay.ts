import type { Sequencer } from './postgres/sequencer.js';

/** Copies the PostgreSQL log to another system. */
interface LogRelay {
  start(): void;
}

/**
 * Moves events from the outbox to the log and, if another log is configured, copies them there. Runs in the program
 * `delivery`; `bus.module.ts` selects the copy.
 */
export class OutboxRelay {
  constructor(
    private readonly sequencer: Sequencer,
    private readonly relay: LogRelay | null,
  ) {}

  /** Begins in the background; ends through `Shutdown`. */
  async start(): Promise<void> {
    this.sequencer.start();
    this.relay?.start();
  }
}
