import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { RequestLog } from '#libs/accounts';
import { CapturedMessages, Retention } from '#libs/emails';
import { InboundStore } from '#libs/inbound';
import { Log, Shutdown } from '#libs/kernel';
import { Database, NoticeOutbox } from '#libs/persistence';
import { pruneFullMailboxes, StoredStsPolicies } from '#libs/queue';

const INTERVAL_MS = 10 * 60_000;

/** Deletes expired data periodically. Any number of delivery programs may run this; every deletion may be repeated. */
@Injectable()
export class RetentionJobs implements OnApplicationBootstrap {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly captured: CapturedMessages,
    private readonly inbound: InboundStore,
    private readonly retention: Retention,
    private readonly requestLog: RequestLog,
    private readonly notices: NoticeOutbox,
    private readonly stsPolicies: StoredStsPolicies,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.on('work', 'retention', () => clearInterval(this.timer));
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.run(), INTERVAL_MS);
  }

  private async run(): Promise<void> {
    try {
      const removed = await this.captured.prune();
      if (removed > 0) this.log.info('deleted expired captured messages', { messages: removed });
      this.log.debug('deleted expired data', {
        ...(await this.retention.prune()),
        requests: await this.requestLog.prune(),
        notices: await this.notices.prune(),
        inboundMessages: await this.inbound.prune(),
        fullMailboxes: await pruneFullMailboxes(this.database),
        stsPolicies: await this.stsPolicies.prune(),
      });
    } catch (error) {
      this.log.warn('retention failed', { reason: (error as Error).message });
    }
  }
}
