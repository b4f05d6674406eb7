import { Injectable } from '@nestjs/common';
import { serviceZone } from '#libs/doctor';
import { DkimZone } from '#libs/domains';
import { Config, Health, TtlCache, withTimeout } from '#libs/kernel';
import { Database, databaseInfo, hostResources } from '#libs/persistence';
import { HeldQueues } from '#libs/queue';
import { StatsStore } from '#libs/stats';
import { configuredCertificates } from './configured-certificates.js';
import type { ServiceHealthType, ServiceZoneType } from './health.type.js';
import { ServiceBacklog } from './service-backlog.js';
import { serviceProblems, stateOf, type ServiceFacts } from './service-problems.js';
import { ServiceSize } from './service-size.js';

const STATISTICS_MS = 2_000;
/** Reading the activity of a large installation takes long. */
const ACTIVITY_MS = 5_000;
const KEEP_ACTIVITY_MS = 10_000;
const HOUR_MS = 3_600_000;
const DKIM_RECORDS = 1_000;
const THROTTLES = { limit: 500, countedTo: 10_000 };
const STATISTICS_DOWN = 'statistics_unavailable';

type Disk = NonNullable<ServiceHealthType['disk']> & NonNullable<ServiceFacts['disk']>;

/** The state of this process and of the engines that it uses. */
@Injectable()
export class ServiceState {
  private readonly activity = new TtlCache<NonNullable<ServiceHealthType['activity']>>({
    load: () => this.readActivity(),
    ttlMs: KEEP_ACTIVITY_MS,
    maxEntries: 1,
  });

  constructor(
    private readonly healthChecks: Health,
    private readonly statistics: StatsStore,
    private readonly database: Database,
    private readonly config: Config,
    private readonly held: HeldQueues,
    private readonly backlog: ServiceBacklog,
    private readonly ownSize: ServiceSize,
  ) {}

  async health(): Promise<ServiceHealthType> {
    const { DELIVERY_MODE, SERVICE_DOMAIN, SIGNUP } = this.config.settings;
    const [parts, info, statistics, size, activity] = await Promise.all([
      this.healthChecks.report(),
      databaseInfo(this.database),
      this.statisticsState(),
      this.ownSize.measure().catch(() => null),
      this.activity.get('hour'),
    ]);
    const disk = await this.disk(size);
    const { waiting, problems } = await this.delivery({ parts, statistics, programs: info.workers, disk });
    return {
      ...{ parts, statistics, disk, size, activity, waiting, problems, programs: info.workers },
      state: stateOf(problems),
      database: {
        version: `${Math.floor(info.version / 10_000)}.${info.version % 10_000}`,
        bytes: info.bytes,
        connectionsUsed: info.connections.used,
        connectionsAllowed: info.connections.allowed,
      },
      version: Health.version,
      nodeVersion: process.version,
      uptimeSeconds: process.uptime(),
      memoryBytes: process.memoryUsage.rss(),
      deliveryMode: DELIVERY_MODE,
      serviceDomain: SERVICE_DOMAIN,
      isSignUpOpen: SIGNUP === 'on',
    };
  }

  async zone(): Promise<ServiceZoneType> {
    const keys = new DkimZone(this.database, this.config.settings.SERVICE_DOMAIN);
    const [zone, records] = await Promise.all([serviceZone(this.config), keys.records(DKIM_RECORDS + 1)]);
    return {
      ...zone,
      dkim: records
        .slice(0, DKIM_RECORDS)
        .map((record) => DkimZone.line(record))
        .join('\n'),
      dkimTruncated: records.length > DKIM_RECORDS,
    };
  }

  /** What waits, and what needs attention. */
  private async delivery(
    known: Pick<ServiceHealthType, 'parts' | 'statistics' | 'programs'> & { disk: Disk | null },
  ): Promise<Pick<ServiceHealthType, 'waiting' | 'problems'>> {
    const [throttles, { recipients, byWait, oldestDueAt, backlog, lateData }] = await Promise.all([
      this.held.list(THROTTLES),
      this.backlog.read(),
    ]);
    const since = this.healthChecks.conditions.of(STATISTICS_DOWN).get('statistics')?.since ?? null;
    const problems = serviceProblems({
      ...known,
      ...{ now: new Date(), statistics: { ...known.statistics, since }, throttles, oldestDueAt, backlog, lateData },
      certificates: configuredCertificates(this.config),
    });
    const { shaping: held, retry, account, schedule: scheduled, worker, answer } = byWait;
    return { problems, waiting: { recipients, held, retry, account, scheduled, due: worker + answer } };
  }

  private async statisticsState(): Promise<ServiceHealthType['statistics']> {
    const engine = this.config.settings.CLICKHOUSE_URL === undefined ? 'embedded' : 'server';
    const problem = `no answer within ${STATISTICS_MS / 1000} s`;
    const state = await withTimeout(this.statistics.state(), STATISTICS_MS, () => ({ engine, version: null, problem }));
    const failing: [string, object][] = state.problem === null ? [] : [['statistics', { reason: state.problem }]];
    this.healthChecks.conditions.set(STATISTICS_DOWN, new Map(failing));
    return state as ServiceHealthType['statistics'];
  }

  /** Null while the statistics store does not answer. */
  private async readActivity(): Promise<ServiceHealthType['activity']> {
    const activity = this.statistics.serviceActivity(new Date(Date.now() - HOUR_MS)).catch(() => null);
    return withTimeout(activity, ACTIVITY_MS, () => null);
  }

  private async disk(size: ServiceHealthType['size']): Promise<Disk | null> {
    const folder = this.config.dataDir;
    const host = await hostResources(folder).catch(() => null);
    if (host === null) return null;
    const { freeBytes, totalBytes, level } = host.disk;
    const growth = size === null || size.other === null ? 0 : (size.bytesPerDay ?? 0);
    return { folder, freeBytes, totalBytes, level, daysLeft: growth <= 0 ? null : freeBytes / growth };
  }
}
