import { Injectable } from '@nestjs/common';
import { LiveLog, LogTail } from '#libs/bus';
import {
  STATS_COUNTERS,
  type DomainStats,
  type LoggedEvent,
  type StatsCounter,
  type Visibility,
} from '#libs/contracts';
import { databaseClock, Shutdown } from '#libs/kernel';
import { LiveStats, noCounts, statsCounter, StatsStore, type LiveSnapshot } from '#libs/stats';
import { LatestStream } from './live-stream.js';
import { whileUnavailable } from './while-unavailable.js';

export type AccountStats = Omit<DomainStats, 'domainId'>;

const COUNTERS: ReadonlySet<string> = new Set(STATS_COUNTERS);
const DAY_MS = 24 * 3_600_000;

/** The live statistics of this process. */
@Injectable()
export class LiveStatistics {
  private readonly stats: LiveStats;
  /** Equal snapshots give the same object, so that it is serialised once for all subscribers. */
  private readonly shown = new WeakMap<LiveSnapshot, DomainStats | AccountStats>();

  constructor(store: StatsStore, liveLog: LiveLog, tail: LogTail, shutdown: Shutdown) {
    this.stats = new LiveStats({
      load: ({ accountId, domainId }, from) =>
        store.minuteCounters({ accountId, from, ...(domainId === null ? {} : { domainId }) }),
      counterOf,
      follow: (listener) => tail.follow(listener),
      read: (position, limit) => liveLog.read(position, limit),
      oldest: () => liveLog.oldest(),
      now: () => databaseClock.now(),
    });
    shutdown.on('work', 'live statistics', () => this.stats.close());
  }

  /** The caller has checked that the key sees the domain. Zeros for a test key. */
  ofDomain({ accountId, mode }: Visibility, domainId: string): Promise<LatestStream<DomainStats>> {
    return this.open(accountId, mode === 'test' ? [] : [domainId], ({ counts, from, to }) => ({
      domainId,
      from,
      to,
      ...counts,
    }));
  }

  /** The domains that the key sees, together. Zeros for a test key. */
  ofAccount({ accountId, mode, domainIds }: Visibility): Promise<LatestStream<AccountStats>> {
    const visible = mode === 'test' ? [] : domainIds && [...domainIds];
    return this.open(accountId, visible, ({ counts, from, to }) => ({ from, to, ...counts }));
  }

  private async open<T extends DomainStats | AccountStats>(
    accountId: string,
    domainIds: readonly string[] | null,
    toShown: (snapshot: LiveSnapshot) => T,
  ): Promise<LatestStream<T>> {
    if (domainIds?.length === 0) return nothing(toShown);
    const live = await whileUnavailable(() => this.stats.open(accountId, domainIds));
    const current = (): T => {
      const snapshot = live.current();
      const known = this.shown.get(snapshot) as T | undefined;
      if (known !== undefined) return known;
      const shown = toShown(snapshot);
      this.shown.set(snapshot, shown);
      return shown;
    };
    return new LatestStream(current, (listener) => live.onChange(listener));
  }
}

function counterOf(event: LoggedEvent): StatsCounter | null {
  const counter = statsCounter(event);
  return counter !== null && COUNTERS.has(counter) ? (counter as StatsCounter) : null;
}

/** Zeros that never change. */
function nothing<T extends object>(toShown: (snapshot: LiveSnapshot) => T): LatestStream<T> {
  const to = databaseClock.date();
  const shown = toShown({ from: new Date(to.getTime() - DAY_MS), to, counts: noCounts() });
  return new LatestStream(
    () => shown,
    () => () => undefined,
  );
}
