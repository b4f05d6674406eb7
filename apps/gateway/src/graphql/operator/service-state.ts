import { statfs } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { serviceZone } from '#libs/doctor';
import { DkimZone, zoneLine } from '#libs/domains';
import { Config, Health, withTimeout } from '#libs/kernel';
import { Database, databaseInfo } from '#libs/persistence';
import { StatsStore } from '#libs/stats';
import type { ServiceHealthType, ServiceZoneType } from './health.type.js';

const STATISTICS_MS = 2_000;
const DKIM_RECORDS = 1_000;

/** The state of this process and of the engines that it uses. */
@Injectable()
export class ServiceState {
  constructor(
    private readonly healthChecks: Health,
    private readonly statistics: StatsStore,
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  async health(): Promise<ServiceHealthType> {
    const { DELIVERY_MODE, SERVICE_DOMAIN, SIGNUP } = this.config.settings;
    const [parts, info, statistics, disk] = await Promise.all([
      this.healthChecks.report(),
      databaseInfo(this.database),
      this.statisticsState(),
      this.disk(),
    ]);
    return {
      ...{ parts, statistics, disk, programs: info.workers },
      database: {
        version: `${Math.floor(info.version / 10_000)}.${info.version % 10_000}`,
        bytes: info.bytes,
        connectionsUsed: info.connections.used,
        connectionsAllowed: info.connections.allowed,
      },
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
      dkim: records.slice(0, DKIM_RECORDS).map(zoneLine).join('\n'),
      dkimTruncated: records.length > DKIM_RECORDS,
    };
  }

  private statisticsState(): Promise<ServiceHealthType['statistics']> {
    const engine = this.config.settings.CLICKHOUSE_URL === undefined ? 'embedded' : 'server';
    const problem = `no answer within ${STATISTICS_MS / 1000} s`;
    return withTimeout(this.statistics.state(), STATISTICS_MS, () => ({ engine, version: null, problem }));
  }

  private async disk(): Promise<ServiceHealthType['disk']> {
    const folder = this.config.dataDir;
    try {
      const { bavail, blocks, bsize } = await statfs(folder);
      return { folder, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    } catch {
      return null;
    }
  }
}
