import { Injectable } from '@nestjs/common';
import { Config } from '#libs/kernel';
import { Partitions, type Expired } from '#libs/persistence';

/** Drops the days of the event log that are older than RETENTION_EVENTS, whether or not all consumers have read them. */
@Injectable()
export class EventLogRetention {
  constructor(
    private readonly partitions: Partitions,
    private readonly config: Config,
  ) {}

  async prune(now: Date): Promise<Expired> {
    const before = new Date(now.getTime() - this.config.settings.RETENTION_EVENTS);
    // First, because an entry without its batches would be an empty page in the history of its account.
    const entries = await this.partitions.expire('event_log_accounts', before);
    const log = await this.partitions.expire('event_log', before);
    return { dropped: [...entries.dropped, ...log.dropped], deleted: entries.deleted + log.deleted };
  }
}
