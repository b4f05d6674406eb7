import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DomainVerifier, type DomainCheck } from '#libs/domains';
import { Log, Shutdown, Wakeups } from '#libs/kernel';
import { DueWorkLoop } from '#libs/persistence';

/** How soon a domain that was added in another process is seen, and a check that was asked for there. */
const POLL_MS = 1_000;
/** A check waits for name servers and costs next to nothing. */
const CHECKS_AT_ONCE = 50;

/** Looks at domains whenever they are due. Any number of delivery programs may do it at once. */
@Injectable()
export class DomainVerifierLoop implements OnApplicationBootstrap {
  private readonly loop: DueWorkLoop<DomainCheck>;

  constructor(
    verifier: DomainVerifier,
    private readonly wakeups: Wakeups,
    log: Log,
    shutdown: Shutdown,
  ) {
    this.loop = new DueWorkLoop(
      {
        name: 'domain verifier',
        claim: (limit) => verifier.claim(limit),
        work: (check) => verifier.check(check),
        concurrency: CHECKS_AT_ONCE,
        pollMs: POLL_MS,
      },
      log,
    );
    shutdown.on('work', 'domain verifier', async () => {
      const stopped = this.loop.stop();
      // A check may take longer than a stop may.
      verifier.stop();
      await stopped;
    });
  }

  onApplicationBootstrap(): void {
    this.wakeups.on('due-domains', () => this.loop.wake());
    this.loop.start();
  }
}
