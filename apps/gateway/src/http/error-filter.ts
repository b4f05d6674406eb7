import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { Log } from '#libs/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerFor } from './error-body.js';

/** The process edge for REST: refusals become answers, surprises are logged once and become a bare 500. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(thrown: unknown, host: ArgumentsHost): unknown {
    // GraphQL reports errors in its own shape.
    if (host.getType<string>() !== 'http') return thrown;
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const { body, headers, surprise } = answerFor(thrown, request.id);
    if (surprise)
      this.log.error('request failed', thrown, {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url,
      });
    if (!reply.sent) void reply.status(body.statusCode).headers(headers).type('application/json').send(body);
    return undefined;
  }
}
