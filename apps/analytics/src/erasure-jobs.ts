import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ErasureRunner } from '#libs/erasure';
import { Log, Poller, Shutdown } from '#libs/kernel';

const POLL_MS = 1_000;

/** Runs erasures here, because this program writes to the statistics store. Any number of programs may run this. */
@Injectable()
export class ErasureJobs implements OnApplicationBootstrap {
  private readonly poll: Poller;

  constructor(runner: ErasureRunner, log: Log, shutdown: Shutdown) {
    this.poll = new Poller({ name: 'erasures', pollMs: POLL_MS, round: () => runner.round() }, log);
    shutdown.on('work', 'erasures', () => this.poll.stop());
  }

  onApplicationBootstrap(): void {
    this.poll.start();
  }
}
