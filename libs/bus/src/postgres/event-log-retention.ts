import { Injectable } from '@nestjs/common';
import { Config, Log } from '#libs/kernel';
import { Partitions, type Expired } from '#libs/persistence';
import { LogConsumers } from '../log-consumers.js';

/**
 * Drops the days of the event log that are older than RETENTION_EVENTS, whether or not all consumers have read them, and forgets
 * consumers that nothing has run for so long.
 */
@Injectable()
export class EventLogRetention {
  constructor(
    private readonly partitions: Partitions,
    private readonly consumers: LogConsumers,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  async prune(now: Date): Promise<Expired> {
    const before = new Date(now.getTime() - this.config.settings.RETENTION_EVENTS);
    // First, because an entry without its batches would be an empty page in the history of its account.
    const entries = await this.partitions.expire('event_log_accounts', before);
    const log = await this.partitions.expire('event_log', before);
    const forgotten = await this.consumers.prune(now);
    if (forgotten.length > 0) this.log.info('forgot consumers that nothing runs any more', { consumers: forgotten });
    return { dropped: [...entries.dropped, ...log.dropped], deleted: entries.deleted + log.deleted };
  }

  overdueSince(now: Date): Promise<Date | null> {
    return this.partitions.overdueSince('event_log', this.config.settings.RETENTION_EVENTS, now);
  }
}
