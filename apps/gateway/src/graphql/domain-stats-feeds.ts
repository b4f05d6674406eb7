import { Injectable } from '@nestjs/common';
import { LiveLog } from '#libs/bus';
import type { DomainStats } from '#libs/contracts';
import { Log } from '#libs/kernel';
import { StatsStore } from '#libs/stats';
import { statsWindow } from '../stats-window.js';
import { DomainStatsFeed } from './domain-stats-feed.js';

/** The feeds of this process, one per watched domain. */
@Injectable()
export class DomainStatsFeeds {
  private readonly feeds = new Map<string, DomainStatsFeed>();

  constructor(
    private readonly liveLog: LiveLog,
    private readonly stats: StatsStore,
    private readonly log: Log,
  ) {}

  /** The statistics of a domain that the caller was found to own: a snapshot, then changes. */
  open(accountId: string, domainId: string): Promise<AsyncIterableIterator<DomainStats>> {
    for (const [id, feed] of this.feeds) if (!feed.watched) this.feeds.delete(id);
    let feed = this.feeds.get(domainId);
    if (!feed) {
      feed = this.feedOf(accountId, domainId);
      this.feeds.set(domainId, feed);
    }
    return feed.open();
  }

  private feedOf(accountId: string, domainId: string): DomainStatsFeed {
    return new DomainStatsFeed({
      read: () => this.stats.domainStats(accountId, domainId, statsWindow({})),
      head: () => this.liveLog.head(),
      firstAfter: async (position) => {
        const [event] = await this.liveLog.read(position, 1, { accountId, domainId });
        return event?.position ?? null;
      },
      onMove: (callback) => this.liveLog.onMove(callback),
      onFailure: (error) => this.log.error('live statistics cannot be read', error, { domain_id: domainId }),
    });
  }
}
