import { Controller, Get, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Config, Health, Shutdown } from '#libs/kernel';
import { hostResources } from '#libs/persistence';
import type { FastifyRequest } from 'fastify';
import { Public } from '../http/route-access.js';
import { SessionAccess } from './session-access.js';

interface PartView {
  part: string;
  reason: string | null;
  since: string | null;
}

interface ProcessView {
  version: string;
  node_version: string;
  uptime_seconds: number;
  memory_bytes: number;
  disk: { free_bytes: number; total_bytes: number } | null;
}

interface HealthView {
  object: 'health';
  ready: boolean;
  /** Parts that are not ready, as in `/readyz`; for operators all. */
  parts: PartView[];
  /** For operators. */
  process: ProcessView | null;
}

/** The state of the process alone, for the dashboard while the database does not answer: asks nothing that could hang. */
@Controller('app/api')
@ApiExcludeController()
export class HealthController {
  constructor(
    private readonly health: Health,
    private readonly shutdown: Shutdown,
    private readonly sessions: SessionAccess,
    private readonly config: Config,
  ) {}

  @Get('health')
  @Public()
  async read(@Req() { raw }: FastifyRequest): Promise<HealthView> {
    const [found, isOperator] = await Promise.all([this.health.report(), this.sessions.isOperators(raw)]);
    const parts = found.map(({ since, ...part }) => ({ ...part, since: since?.toISOString() ?? null }));
    if (this.shutdown.begun) parts.push({ part: 'process', reason: 'this process is stopping', since: null });
    const failing = parts.filter(({ reason }) => reason !== null);
    return {
      object: 'health',
      ready: failing.length === 0,
      parts: isOperator ? parts : failing,
      process: isOperator ? await this.process() : null,
    };
  }

  private async process(): Promise<ProcessView> {
    const host = await hostResources(this.config.dataDir).catch(() => null);
    return {
      version: Health.version,
      node_version: process.version,
      uptime_seconds: process.uptime(),
      memory_bytes: process.memoryUsage.rss(),
      disk: host && { free_bytes: host.disk.freeBytes, total_bytes: host.disk.totalBytes },
    };
  }
}
