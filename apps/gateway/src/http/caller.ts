import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import type { Principal } from '#libs/accounts';
import type { FastifyRequest } from 'fastify';

/** The principal behind the request's key, as a handler's parameter. */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!principal) throw new Refusal('missing_api_key');
  return principal;
});
