import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DomainVerifier, type DomainCheck } from '#libs/domains';
import { Log, Shutdown, LocalNotifications } from '#libs/kernel';
import { JobRunner } from '#libs/persistence';

/** Poll interval: the delay until a domain added or a check requested in another process is seen. */
const POLL_MS = 1_000;
/** Concurrent checks. A check mostly waits for name servers. */
const CHECKS_AT_ONCE = 50;

/** Verifies domains that are due. Any number of delivery programs may run this. */
@Injectable()
export class DomainVerifierLoop implements OnApplicationBootstrap {
  private readonly loop: JobRunner<DomainCheck>;

  constructor(
    verifier: DomainVerifier,
    private readonly notifications: LocalNotifications,
    log: Log,
    shutdown: Shutdown,
  ) {
    this.loop = new JobRunner(
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
      // A check may take longer than the shutdown allows.
      verifier.stop();
      await stopped;
    });
  }

  onApplicationBootstrap(): void {
    this.notifications.on('due-domains', () => this.loop.wake());
    this.loop.start();
  }
}
