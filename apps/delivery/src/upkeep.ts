import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { RequestLog } from '#libs/accounts';
import { CapturedMail, InboundStore, KeptStsPolicies, Retention } from '#libs/emails';
import { Log, Shutdown } from '#libs/kernel';

const INTERVAL_MS = 10 * 60_000;

/** What has to be tidied now and then. Any number of delivery programs may do it; each deletion is safe to repeat. */
@Injectable()
export class Upkeep implements OnApplicationBootstrap {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly captured: CapturedMail,
    private readonly inbound: InboundStore,
    private readonly retention: Retention,
    private readonly requestLog: RequestLog,
    private readonly stsPolicies: KeptStsPolicies,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.on('work', 'upkeep', () => clearInterval(this.timer));
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.tidy(), INTERVAL_MS);
  }

  private async tidy(): Promise<void> {
    try {
      const removed = await this.captured.prune();
      if (removed > 0) this.log.info('removed captured mails beyond their keeping', { mails: removed });
      this.log.debug('removed what is over its time', {
        ...(await this.retention.prune()),
        requests: await this.requestLog.prune(),
        inboundMails: await this.inbound.prune(),
        stsPolicies: await this.stsPolicies.prune(),
      });
    } catch (error) {
      this.log.warn('upkeep failed', { reason: (error as Error).message });
    }
  }
}
