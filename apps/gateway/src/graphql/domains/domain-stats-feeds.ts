import { Injectable } from '@nestjs/common';
import { LiveLog } from '#libs/bus';
import type { DomainStats, Visibility } from '#libs/contracts';
import { Log } from '#libs/kernel';
import { StatsStore } from '#libs/stats';
import { statsWindow } from '../../rest/stats/stats-query.js';
import { DomainStatsFeed } from './domain-stats-feed.js';

/** The feeds of this process, one per mode of keys and domain with subscribers. */
@Injectable()
export class DomainStatsFeeds {
  private readonly feeds = new Map<string, DomainStatsFeed>();

  constructor(
    private readonly liveLog: LiveLog,
    private readonly stats: StatsStore,
    private readonly log: Log,
  ) {}

  /** The statistics of a domain that the key sees: a snapshot, then changes; zeros for a test key. */
  open(visibility: Visibility, domainId: string): Promise<AsyncIterableIterator<DomainStats>> {
    for (const [id, feed] of this.feeds) if (!feed.active) this.feeds.delete(id);
    const id = `${visibility.mode} ${domainId}`;
    let feed = this.feeds.get(id);
    if (!feed) {
      feed = this.createFeed(visibility, domainId);
      this.feeds.set(id, feed);
    }
    return feed.open();
  }

  private createFeed({ accountId, mode }: Visibility, domainId: string): DomainStatsFeed {
    // Without the other domains of the first subscriber's key, which may change while the feed lives.
    const visibility: Visibility = { accountId, mode, domainIds: new Set([domainId]) };
    return new DomainStatsFeed({
      read: () => this.stats.domainStats(visibility, domainId, statsWindow({})),
      head: () => this.liveLog.head(),
      firstAfter: async (position) => {
        const [event] = await this.liveLog.read(position, 1, { accountId, domainId });
        return event?.position ?? null;
      },
      onAppend: (callback) => this.liveLog.onNewEvents(callback),
      onFailure: (error) => this.log.error('cannot read live statistics', error, { domain_id: domainId }),
    });
  }
}
