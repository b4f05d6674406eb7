import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Config, Log, Shutdown, TtlCache, withTimeout } from '#libs/kernel';
import { Database, databaseInfo, SizeSamples } from '#libs/persistence';
import { StatsStore } from '#libs/stats';
import type { ServiceSizeType } from './health.type.js';

const SAMPLE_MS = 900_000;
/** Counting the files of a large store takes seconds. */
const KEEP_MS = 60_000;
const STATISTICS_MS = 2_000;
const BLOCK_BYTES = 512;

type Bytes = Omit<ServiceSizeType, 'bytesPerDay'>;

/** Storage used by the service, and its growth. */
@Injectable()
export class ServiceSize implements OnApplicationBootstrap {
  private readonly samples: SizeSamples;
  private readonly recent = new TtlCache<Bytes>({ load: () => this.count(), ttlMs: KEEP_MS, maxEntries: 1 });
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly statistics: StatsStore,
    private readonly config: Config,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    this.samples = new SizeSamples(database);
    shutdown.on('flush', 'size', () => clearInterval(this.timer));
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sample(), SAMPLE_MS);
    this.timer.unref();
  }

  async measure(): Promise<ServiceSizeType> {
    const size = (await this.recent.get('size')) as Bytes;
    await this.samples.record(size.total);
    const bytesPerDay = await this.samples.growthPerDay(size.total);
    return { ...size, bytesPerDay: bytesPerDay === null ? null : Math.round(bytesPerDay) };
  }

  private async sample(): Promise<void> {
    await this.measure().catch((error: Error) =>
      this.log.warn('the size of the service is not known', { reason: error.message.split('\n', 1)[0] }),
    );
  }

  /** In the data directory, or without one of the engines in it, what they say of themselves. */
  private async count(): Promise<Bytes> {
    const { dataDir, embeddedDatabase, settings } = this.config;
    const { bytes, eventLogBytes: eventLog, contentBytes: contents } = await databaseInfo(this.database);
    const statistics = await this.statisticsBytes();
    const database = bytes - eventLog - contents;
    const known = bytes + (statistics ?? 0);
    if (embeddedDatabase === null || settings.CLICKHOUSE_URL !== undefined)
      return { total: known, database, eventLog, contents, statistics, other: null };
    const total = await folderBytes(dataDir);
    return { total, database, eventLog, contents, statistics, other: Math.max(0, total - known) };
  }

  private async statisticsBytes(): Promise<number | null> {
    const bytes = this.statistics.bytes().catch(() => null);
    return withTimeout(bytes, STATISTICS_MS, () => null);
  }
}

/** The space that the files of a folder occupy; files that vanish meanwhile do not count. */
async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  const entries = await opendir(folder).catch(() => null);
  if (entries === null) return 0;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await folderBytes(path);
    else if (entry.isFile()) bytes += ((await stat(path).catch(() => null))?.blocks ?? 0) * BLOCK_BYTES;
  }
  return bytes;
}
