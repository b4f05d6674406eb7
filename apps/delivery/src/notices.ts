import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Log, Poller, Shutdown } from '#libs/kernel';
import { NoticeSender } from '#libs/notices';
import { Database } from '#libs/persistence';
import { noticeFailingWebhooks } from '#libs/webhooks';

const POLL_MS = 2_000;
const WEBHOOKS_MS = 30_000;

/** Mails notices to the owners of accounts. Any number of delivery programs may run this. */
@Injectable()
export class Notices implements OnApplicationBootstrap {
  private readonly poll: Poller;
  /** Of `performance.now()`. */
  private webhooksAt = -Infinity;

  constructor(
    private readonly sender: NoticeSender,
    private readonly database: Database,
    log: Log,
    shutdown: Shutdown,
  ) {
    this.poll = new Poller({ name: 'notices', pollMs: POLL_MS, round: () => this.round() }, log);
    shutdown.on('work', 'notices', () => this.poll.stop());
  }

  onApplicationBootstrap(): void {
    this.poll.start();
  }

  private async round(): Promise<boolean> {
    if (performance.now() - this.webhooksAt >= WEBHOOKS_MS) {
      await noticeFailingWebhooks(this.database);
      this.webhooksAt = performance.now();
    }
    return this.sender.round();
  }
}
