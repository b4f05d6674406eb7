import { Refusal, type LoggedEvent, type StatsCounter } from '#libs/contracts';
import { Semaphore } from '#libs/kernel';
import { Counted, type CountsOf, type Minutes } from './counted.js';
import { LiveCounts } from './live-counts.js';
import { MINUTE_MS, MinuteWindow, type Counts } from './minute-window.js';
import { RecentCounts, type CountedEvent } from './recent-counts.js';

/** Minutes of one domain, or of the whole account, as of a position of the log. */
export interface LoadedMinutes {
  position: number;
  /** `minute`: its start in milliseconds since 1970. */
  minutes: readonly { minute: number; counts: Counts }[];
}

/** What live statistics read. */
export interface LiveStatsSources {
  /** @throws Refusal `service_unavailable` while the store does not respond */
  load(of: CountsOf, from: Date): Promise<LoadedMinutes>;
  /** The counter of an event; null if it does not count. */
  counterOf(event: LoggedEvent): StatsCounter | null;
  /** Every event above the returned position reaches the listener. */
  follow(listener: (events: readonly LoggedEvent[]) => void): Promise<{ position: number; stop(): void }>;
  /** Up to `limit` events above `position`, from the log. */
  read(position: number, limit: number): Promise<LoggedEvent[]>;
  /** The position of the oldest event of the log, or 0. */
  oldest(): Promise<number>;
  /** The present in milliseconds since 1970. */
  now(): number;
}

const LIVE_STATS_LIMITS = {
  /** Loads at once; the others wait in line. */
  loads: 2,
  /** Events by which the store may be behind the tail when counts are loaded. */
  replay: 250_000,
  /** Counts without subscribers are kept for this long, so that those who reconnect are served from memory. */
  keepMs: 60_000,
};
const READ = 2_000;
const WINDOW_MINUTES = 24 * 60;

/**
 * The statistics of the last 24 hours in memory: loaded once from the store as of a position of the log, then advanced by
 * the events above it. Reads neither the store nor the log for domains that are already loaded, and nothing at all while
 * there are no subscribers.
 */
export class LiveStats {
  private readonly counted = new Map<string, Loading<Counted>>();
  private readonly views = new Map<string, Loading<LiveCounts>>();
  private readonly loads: Semaphore;
  private recent: Promise<RecentCounts> | undefined;
  private extending: Promise<void> = Promise.resolve();
  private stopTail: (() => void) | undefined;
  private minuteTimer: NodeJS.Timeout | undefined;
  /** The first minute of all windows. */
  private first = -Infinity;

  constructor(
    private readonly sources: LiveStatsSources,
    private readonly limits = LIVE_STATS_LIMITS,
  ) {
    this.loads = new Semaphore(limits.loads);
  }

  /**
   * The counts of some domains together, or of the whole account (null). Equal arguments give the same object.
   * @throws Refusal `service_unavailable` if the store does not respond, or is behind by more than the log can tell
   */
  open(accountId: string, domainIds: readonly string[] | null): Promise<LiveCounts> {
    const key = `${accountId} ${domainIds === null ? '*' : [...domainIds].sort().join(' ')}`;
    return loadOnce(this.views, key, async () => {
      const parts = (domainIds ?? [null]).map((domainId) => ({ accountId, domainId }));
      for (;;) {
        const counted = await Promise.all(parts.map((part) => this.ensure(part)));
        // One that was loaded early and had no view yet may have been forgotten while others were still loading.
        if (counted.every((one, i) => this.counted.get(keyOf(parts[i]))?.value === one))
          return new LiveCounts(counted, () => this.windowNow());
      }
    });
  }

  /** Ends the timers and the tail, and forgets all counts. */
  close(): void {
    clearTimeout(this.minuteTimer);
    this.stopTail?.();
    this.stopTail = undefined;
    this.recent = undefined;
    for (const { value } of this.views.values()) value?.close();
    this.views.clear();
    this.counted.clear();
  }

  private ensure(of: CountsOf): Promise<Counted> {
    return loadOnce(this.counted, keyOf(of), () => this.loads.run(() => this.load(of)));
  }

  private load(of: CountsOf): Promise<Counted> {
    return this.read(of, (minutes) => {
      const counted = new Counted(of, minutes);
      const entry = this.counted.get(keyOf(of));
      if (entry) entry.value = counted;
      return counted;
    });
  }

  /** @param take called without an await since the last event was counted, or events of the tail would be missed */
  private async read<T>(of: CountsOf, take: (minutes: Minutes) => T): Promise<T> {
    const recent = await this.startTail();
    const { first } = this.windowNow();
    const { position, minutes } = await this.sources.load(of, new Date(first * MINUTE_MS));
    await this.extendTo(recent, position);
    const window = new MinuteWindow(this.windowNow().first);
    for (const { minute, counts } of minutes)
      for (const [counter, count] of Object.entries(counts))
        window.add(Math.floor(minute / MINUTE_MS), counter as StatsCounter, count);
    for (const event of recent.above(position)) if (isOf(event, of)) window.add(event.minute, event.counter);
    return take({ window, position });
  }

  /** After the clock was set back: minutes that have left the window belong to it again. A failure is repeated with the next minute. */
  private async reload(counted: Counted): Promise<void> {
    try {
      await this.loads.run(() => this.read(counted.of, (minutes) => counted.replace(minutes)));
    } catch {
      counted.isIncomplete = true;
    }
  }

  private startTail(): Promise<RecentCounts> {
    this.recent ??= this.follow().catch((error: unknown) => {
      this.recent = undefined;
      throw error;
    });
    return this.recent;
  }

  private async follow(): Promise<RecentCounts> {
    const early: (readonly LoggedEvent[])[] = [];
    let recent: RecentCounts | undefined;
    const tail = await this.sources.follow((events) => {
      if (recent) this.advance(recent, events);
      else early.push(events);
    });
    this.stopTail = () => tail.stop();
    recent = new RecentCounts(tail.position, this.limits.replay);
    for (const events of early) this.advance(recent, events);
    this.scheduleMinute();
    return recent;
  }

  private advance(recent: RecentCounts, events: readonly LoggedEvent[]): void {
    this.slide();
    const counted = this.countedOf(events);
    recent.append(counted, events[events.length - 1].position);
    for (const event of counted) {
      this.counted.get(keyOf(event))?.value?.count(event);
      this.counted.get(keyOf({ ...event, domainId: null }))?.value?.count(event);
    }
  }

  private countedOf(events: readonly LoggedEvent[]): CountedEvent[] {
    const counted: CountedEvent[] = [];
    for (const logged of events) {
      const counter = this.sources.counterOf(logged);
      if (counter === null) continue;
      const minute = Math.floor(Date.parse(logged.event.created_at) / MINUTE_MS);
      const { position, domainId } = logged;
      counted.push({ position, accountId: logged.event.account_id, domainId: domainId ?? '', minute, counter });
    }
    return counted;
  }

  /** Reads the events between the position of the store and the start of the tail, once for all domains. */
  private extendTo(recent: RecentCounts, position: number): Promise<void> {
    const extended = this.extending.then(() => this.extend(recent, position));
    this.extending = extended.catch(() => undefined);
    return extended;
  }

  private async extend(recent: RecentCounts, position: number): Promise<void> {
    if (position >= recent.from) return;
    const { from } = recent;
    if (from - position > this.limits.replay) throw behind(from - position);
    if ((await this.sources.oldest()) > position + 1) throw behind(from - position);
    const counted: CountedEvent[] = [];
    for (let after = position; after < from;) {
      const events = await this.sources.read(after, Math.min(READ, from - after));
      if (events.length === 0) break;
      for (const event of this.countedOf(events)) if (event.position <= from) counted.push(event);
      after = events[events.length - 1].position;
    }
    // The tail may have dropped the oldest events meanwhile.
    if (recent.from !== from) throw behind(recent.from - position);
    recent.prepend(counted, position);
  }

  /** The window in minutes since 1970 and in time: the minutes that began in the last 24 hours. */
  private windowNow(): { first: number; from: Date; to: Date } {
    const now = this.sources.now();
    const first = Math.floor(now / MINUTE_MS) - WINDOW_MINUTES + 1;
    return { first, from: new Date(first * MINUTE_MS), to: new Date(now) };
  }

  /** All windows begin with the present first minute from now on. */
  private slide(): void {
    const { first } = this.windowNow();
    if (first === this.first) return;
    const isSetBack = first < this.first;
    this.first = first;
    for (const { value } of this.counted.values()) {
      value?.slideTo(first);
      if (value && (isSetBack || value.isIncomplete)) void this.reload(value);
    }
  }

  /** Forgets what had no subscribers for a while; without any left, the tail ends. */
  private forgetIdle(): void {
    for (const [key, { value }] of this.views)
      if (value?.isIdle(this.limits.keepMs)) {
        value.close();
        this.views.delete(key);
      }
    if (this.views.size === 0) return this.close();
    for (const [key, { value }] of this.counted) if (value && !value.isUsed) this.counted.delete(key);
  }

  private scheduleMinute(): void {
    clearTimeout(this.minuteTimer);
    this.minuteTimer = setTimeout(
      () => {
        this.scheduleMinute();
        this.slide();
        this.forgetIdle();
      },
      MINUTE_MS - (this.sources.now() % MINUTE_MS),
    );
    this.minuteTimer.unref();
  }
}

interface Loading<T> {
  promise: Promise<T>;
  /** Once it is loaded. */
  value?: T;
}

/** The entry of this key, loaded at most once at a time; a failure is forgotten. */
function loadOnce<T>(entries: Map<string, Loading<T>>, key: string, load: () => Promise<T>): Promise<T> {
  const known = entries.get(key);
  if (known) return known.promise;
  const entry: Loading<T> = { promise: load() };
  entries.set(key, entry);
  entry.promise.then(
    (value) => (entry.value = value),
    () => {
      if (entries.get(key) === entry) entries.delete(key);
    },
  );
  return entry.promise;
}

const keyOf = ({ accountId, domainId }: CountsOf): string => `${accountId} ${domainId ?? '*'}`;

const isOf = (event: CountedEvent, { accountId, domainId }: CountsOf): boolean =>
  event.accountId === accountId && (domainId === null || event.domainId === domainId);

const behind = (events: number): Refusal =>
  new Refusal(
    'service_unavailable',
    [],
    `Live statistics are not available yet: the statistics store is ${events} events behind the event log. Try again.`,
  );
