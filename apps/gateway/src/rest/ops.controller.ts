import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiResponse } from '@nestjs/swagger';
import { Refusal } from '#libs/contracts';
import { Health, Metrics, Shutdown } from '#libs/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../http/route-access.js';
import { Operation } from '../openapi/operation.js';
import { Alive, NotReady, Ready } from './ops.dto.js';

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** For people who find the address, and for those who watch the process. */
@Controller()
export class OpsController {
  constructor(
    private readonly health: Health,
    private readonly metrics: Metrics,
    private readonly shutdown: Shutdown,
  ) {}

  @Get()
  @Public()
  @ApiExcludeEndpoint()
  root(): object {
    return { name: 'postloft', api_version: '1', emails: '/emails', graphql: '/graphql', health: '/readyz' };
  }

  @Get('healthz')
  @Public()
  @Operation({ tag: 'Service', summary: 'Is this process alive?', answer: Alive })
  healthz(): Alive {
    return { status: 'ok' };
  }

  @Get('readyz')
  @Public()
  @ApiResponse({ status: 503, description: 'It cannot, or it is stopping', type: NotReady })
  @Operation({
    tag: 'Service',
    summary: 'Can this process do its work?',
    description: 'Looks at everything that it needs, the database first of all.',
    answer: Ready,
  })
  async readyz(@Res({ passthrough: true }) reply: FastifyReply): Promise<Ready | NotReady> {
    const failing = this.shutdown.begun ? { shutdown: 'this process is stopping' } : await this.health.failures();
    if (Object.keys(failing).length === 0) return { status: 'ready' };
    void reply.status(503);
    return { status: 'unavailable', failing };
  }

  /** To the machine itself only: a request that came through a proxy is not from it, whatever its socket says. */
  @Get('metrics')
  @Public()
  @ApiExcludeEndpoint()
  async render(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const forwarded = request.headers['x-forwarded-for'] ?? request.headers['forwarded'];
    if (forwarded !== undefined || !LOOPBACK.test(request.socket.remoteAddress ?? '')) throw new Refusal('not_found');
    await reply.type('text/plain; version=0.0.4; charset=utf-8').send(await this.metrics.render());
  }
}
