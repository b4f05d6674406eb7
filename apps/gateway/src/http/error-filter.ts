import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Allowances } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import type { Log } from '#libs/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorResponse, type ErrorResponse } from './error-body.js';
import { quotaHeaders } from './response-headers.js';
import { pathOfRoute } from './route-table.js';

/** Turns errors of REST handlers into responses. Unexpected errors are logged once and answered 500. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly log: Log,
    private readonly allowances: Allowances,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): unknown {
    // GraphQL formats its own errors.
    if (host.getType<string>() !== 'http') return thrown;
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const answer = errorResponse(thrown, request.id, pathOfRoute(request));
    request.refusal = answer.body.name;
    if (answer.unexpected)
      this.log.error('request failed', thrown, {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url,
      });
    else if (answer.body.statusCode === 503 && !(thrown instanceof Refusal))
      this.log.warn('request failed: a dependency is unavailable', {
        request_id: request.id,
        reason: (thrown as Error).message,
      });
    if (thrown instanceof Refusal && thrown.code === 'monthly_quota_exceeded')
      void this.addQuota(request, reply).finally(() => send(reply, answer));
    else send(reply, answer);
    return undefined;
  }

  /** Never rejects: without the allowance, the response has no quota headers. */
  private async addQuota({ principal }: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!principal) return;
    try {
      void reply.headers(quotaHeaders(await this.allowances.usage(principal.accountId), new Date()));
    } catch (error) {
      this.log.warn('cannot read the monthly allowance', { reason: (error as Error).message });
    }
  }
}

function send(reply: FastifyReply, { body, headers }: ErrorResponse): void {
  if (!reply.sent) void reply.status(body.statusCode).headers(headers).type('application/json').send(body);
}
