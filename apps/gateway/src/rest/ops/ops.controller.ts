import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiProperty, ApiResponse } from '@nestjs/swagger';
import { Health, Metrics, Shutdown } from '#libs/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../http/route-access.js';
import { Operation } from '../../openapi/operation.js';
import { EnumProperty } from '../../openapi/properties.js';
import { MetricsAccess } from './metrics-access.js';

class Alive {
  @EnumProperty(['ok'], 'The process responds', 'ok')
  status: 'ok';

  @ApiProperty({ description: 'The version of the program', example: '0.1.0' })
  version: string;
}

class Ready {
  @EnumProperty(['ready'], 'All dependencies of the process are available', 'ready')
  status: 'ready';
}

class NotReady {
  @EnumProperty(['unavailable'], 'A dependency of the process is unavailable')
  status: 'unavailable';

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'The unavailable dependencies and the reasons',
    example: { database: 'connection refused' },
  })
  failing: Record<string, string>;
}

/** Health checks and metrics. */
@Controller()
export class OpsController {
  constructor(
    private readonly health: Health,
    private readonly metrics: Metrics,
    private readonly shutdown: Shutdown,
    private readonly metricsAccess: MetricsAccess,
  ) {}

  @Get('healthz')
  @Public()
  @Operation({
    tag: 'Service',
    summary: 'Check liveness',
    description: 'Answers as long as the process runs.',
    response: Alive,
  })
  healthz(): Alive {
    return { status: 'ok', version: Health.version };
  }

  @Get('readyz')
  @Public()
  @ApiResponse({ status: 503, description: 'A dependency is unavailable, or the process is stopping', type: NotReady })
  @Operation({
    tag: 'Service',
    summary: 'Check readiness',
    description:
      'Whether the process can do its work: the database answers and stores data, and its own parts run. The statistics store ' +
      'and Kafka do not count, because mail is accepted and delivered without them.',
    response: Ready,
  })
  async readyz(@Res({ passthrough: true }) reply: FastifyReply): Promise<Ready | NotReady> {
    const failing = this.shutdown.begun ? { shutdown: 'this process is stopping' } : await this.health.failures();
    if (Object.keys(failing).length === 0) return { status: 'ready' };
    void reply.status(503);
    return { status: 'unavailable', failing };
  }

  @Get('metrics')
  @Public()
  @ApiExcludeEndpoint()
  async render(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.metricsAccess.require(request);
    await reply.type('text/plain; version=0.0.4; charset=utf-8').send(await this.metrics.render());
  }
}
