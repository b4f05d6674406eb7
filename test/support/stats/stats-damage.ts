import { cp, mkdtemp, readdir, readlink, rm, truncate, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventLog, LiveLog, ParkedEvents } from '#libs/bus';
import { StatisticsRecord } from '#libs/bus';
import type { LoggedEvent } from '#libs/contracts';
import { loadConfig, Log, type Metrics } from '#libs/kernel';
import type { Database, Worker } from '#libs/persistence';
import { StatsStore } from '#libs/stats';
import { Registry } from 'prom-client';
import { AcceptedEvents } from '../../../apps/analytics/src/accepted-events.js';
import { StoreCheck } from '../../../apps/analytics/src/store-check.js';
import { StoreWriters } from '../../../apps/analytics/src/store-writers.js';
import { StatsEvents } from './stats-events.js';

const DAY_MS = 86_400_000;
export const OLD_DAYS = 4;
const LOGGED_DAYS = 4;
const EVENTS_PER_DAY = 24;

interface LogLine {
  level: 'warn' | 'error';
  event: string;
  days?: string[];
  from?: string;
  tables?: string[];
  damage?: string[];
}

export interface Recovery {
  lines: LogLine[];
  /** Days that were rebuilt, by where from. */
  refilled: { log: string[]; tables: string[] };
  incomplete: string[];
  setAside: string[];
  identity: string;
}

/** Numbers by table and day. */
export type Contents = Record<string, Record<string, number>>;
type RecordedDay = { stored: number; counted: number; grouped: number };
type Rows = Record<string, string>[];
interface Engine {
  command(query: string): Promise<void>;
  select<T>(statement: { query: string; params: object }): Promise<T[]>;
}

/**
 * A store with some days that the event log has and some that it no longer has, which is damaged while it is closed and then
 * checked as the program `analytics` does at its start.
 */
export class DamagedStore {
  events = new StatsEvents();
  readonly all: LoggedEvent[] = [];
  /** Of the log; the days before it are partly or no longer in it. */
  logged: LoggedEvent[] = [];
  /** The days of the events, ascending. */
  readonly days: string[] = [];
  store!: StatsStore;
  metrics = new Registry();
  logFails = false;
  /** The contents of the whole store. */
  whole: Contents = {};
  private recorded: { days: Map<string, RecordedDay>; parts: unknown } = { days: new Map(), parts: {} };
  lines: LogLine[] = [];

  private constructor(
    readonly dataDir: string,
    private readonly database: Database,
  ) {}

  /** A whole store. Tests damage copies. */
  static async create(database: Database): Promise<DamagedStore> {
    const store = new DamagedStore(await mkdtemp(join(tmpdir(), 'stats-')), database);
    await store.fill();
    return store;
  }

  /** With the same events, and the record as it was when the original was closed. */
  async copy(): Promise<DamagedStore> {
    const copy = new DamagedStore(await mkdtemp(join(tmpdir(), 'stats-')), this.database);
    await cp(this.path, copy.path, { recursive: true, verbatimSymlinks: true });
    copy.all.push(...this.all);
    copy.logged = this.logged;
    copy.days.push(...this.days);
    copy.events = this.events;
    const record = new StatisticsRecord(this.database);
    await record.forget(null);
    await record.raise(this.recorded.days);
    await record.writeParts(this.recorded.parts as object);
    return copy;
  }

  get path(): string {
    return join(this.dataDir, 'chdb');
  }

  /** Folders of tables by name. */
  async folders(): Promise<Map<string, string>> {
    const data = join(this.path, 'data', 'postloft');
    const names = await readdir(data);
    const linkOf = async (name: string) => [name, join(data, await readlink(join(data, name)))] as const;
    return new Map(await Promise.all(names.map(linkOf)));
  }

  /** Parts that no other part has been merged from. */
  async parts(table: string): Promise<string[]> {
    const folder = (await this.folders()).get(table) as string;
    const parts = (await readdir(folder)).flatMap((name) => {
      const [, partition, first, last] = /^(\w+)_(\d+)_(\d+)_\d+$/.exec(name) ?? [];
      return partition === undefined ? [] : [{ name, partition, first: Number(first), last: Number(last) }];
    });
    // Of the same blocks, the one with the higher level.
    const covers = (other: (typeof parts)[number], { name, partition, first, last }: (typeof parts)[number]) =>
      other.partition === partition &&
      other.first <= first &&
      other.last >= last &&
      (other.first < first || other.last > last || levelOf(other.name) > levelOf(name));
    const whole = parts.filter((one) => !parts.some((other) => covers(other, one)));
    return whole.map(({ name }) => name).sort();
  }

  async deleteFolder(table: string): Promise<void> {
    await rm((await this.folders()).get(table) as string, { recursive: true });
  }

  async truncatePart(table: string, part: string): Promise<void> {
    const file = join((await this.folders()).get(table) as string, part, 'data.bin');
    await truncate(file, Math.floor((await stat(file)).size / 2));
  }

  /** Opens the store and checks it, without the inserts that follow. */
  async recover(): Promise<Recovery> {
    const before = await this.asideFolders();
    await this.open();
    await this.checkOnce();
    const made = this.lines.filter(({ event }) => event.includes('rebuilt'));
    const daysFrom = (source: string) => made.filter(({ from }) => from === source).flatMap(({ days }) => days ?? []);
    return {
      lines: this.lines,
      refilled: { log: daysFrom('log'), tables: daysFrom('tables') },
      incomplete: (await new StatisticsRecord(this.database).incompleteDays()).map(({ day }) => day),
      setAside: (await this.asideFolders()).filter((name) => !before.includes(name)),
      identity: this.store.identity,
    };
  }

  check(): StoreCheck {
    this.metrics = new Registry();
    const head = async () => this.logged.at(-1)?.position ?? 0;
    const log = {
      oldest: async () => {
        if (this.logFails) throw new Error('no log');
        return this.logged[0]?.position ?? 0;
      },
      head,
      read: async (after: number, limit: number) =>
        this.logged.filter(({ position }) => position > after).slice(0, limit),
    } as unknown as LiveLog;
    const parked = { positions: async () => new Set() } as unknown as ParkedEvents;
    const handled = { handledPosition: head };
    return new StoreCheck(
      this.store,
      handled as unknown as EventLog,
      new AcceptedEvents(log, parked),
      new StatisticsRecord(this.database),
      new StoreWriters(this.database, { register: () => Promise.resolve() } as unknown as Worker, this.config()),
      this.config(),
      this.log(),
      { registry: this.metrics } as Metrics,
    );
  }

  async open(): Promise<void> {
    this.lines = [];
    this.store = new StatsStore(this.config(), this.log());
    await this.store.ready();
  }

  select = (query: string): Promise<Rows> =>
    (this.store as unknown as { engine: Engine }).engine.select({ query, params: {} });

  command(query: string): Promise<void> {
    return (this.store as unknown as { engine: Engine }).engine.command(query);
  }

  /** Totals of each day by table, as text that can be compared. */
  async contents(): Promise<Contents> {
    const tables = await this.select(
      `SELECT table, groupArray(name) AS names FROM system.columns WHERE database = currentDatabase() AND table LIKE 'recipient_%'
          AND table NOT LIKE '%_feed' AND name IN ('at', 'day', 'period') GROUP BY table ORDER BY table`,
    );
    const contents: Contents = {};
    for (const { table, names } of tables as unknown as { table: string; names: string[] }[]) {
      const value = names[0] === 'period' ? 'sum(delivered + opened)' : 'count()';
      const rows = await this.select(
        `SELECT toString(toDate(${names[0]})) AS d, ${value} AS n FROM ${table} GROUP BY d ORDER BY d`,
      );
      contents[table] = Object.fromEntries(rows.map(({ d, n }) => [d, Number(n)]));
    }
    return contents;
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  async remove(): Promise<void> {
    await this.close().catch(() => undefined);
    await rm(this.dataDir, { recursive: true, force: true });
  }

  private async asideFolders(): Promise<string[]> {
    const folders = (await readdir(this.dataDir)).filter((name) => name.startsWith('chdb.broken-'));
    const read = async (folder: string) =>
      (await readdir(join(this.dataDir, folder))).map((name) => `${folder}/${name}`);
    return (await Promise.all(folders.map(read))).flat();
  }

  private async fill(): Promise<void> {
    await this.open();
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    for (let i = 0; i < OLD_DAYS + LOGGED_DAYS; i++) {
      const start = new Date(today - (OLD_DAYS + LOGGED_DAYS - i) * DAY_MS);
      this.days.push(start.toISOString().slice(0, 10));
      const events = [
        ...this.events.deliveries(EVENTS_PER_DAY, start, 3_000_000),
        ...this.events.deliveries(2, start, 1_000).map((one) => this.opened(one)),
      ].sort((a, b) => a.event.created_at.localeCompare(b.event.created_at));
      events.forEach((one, n) => (one.position = this.all.length + n + 1));
      this.all.push(...events);
      await this.store.insert({ source: 'log', token: `fill:${i}`, events });
    }
    const since = Date.parse(`${this.days[OLD_DAYS]}T00:00:00Z`) - 5 * 3_600_000;
    this.logged = this.all.filter(({ event }) => Date.parse(event.created_at) >= since);
    await this.checkOnce();
    this.whole = await this.contents();
    const record = new StatisticsRecord(this.database);
    this.recorded = { days: await record.days(), parts: await record.parts() };
    await this.close();
  }

  private async checkOnce(): Promise<void> {
    const stopping = new AbortController();
    const check = this.check();
    await check.atStart('analytics', stopping.signal);
    stopping.abort();
    await check.run('analytics', stopping.signal);
  }

  private opened(one: LoggedEvent): LoggedEvent {
    const { data } = one.event;
    const opened = { ...one.event, type: 'email.opened' as const, data: { ...data, tags: { campaign: 'a' } } };
    return { ...one, event: opened };
  }

  config() {
    return loadConfig('standalone', { DATA_DIR: this.dataDir });
  }

  private log(): Log {
    const note = (level: 'warn' | 'error') => (fields: object, event: string) =>
      void this.lines.push({ ...fields, level, event });
    return new Log({ error: note('error'), warn: note('warn'), info() {} } as never);
  }
}

const levelOf = (part: string): number => Number(part.slice(part.lastIndexOf('_') + 1));
