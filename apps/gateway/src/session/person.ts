import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import type { Actor, LoggedIn } from '#libs/users';
import type { FastifyRequest } from 'fastify';

const requestOf = (context: ExecutionContext): FastifyRequest => context.switchToHttp().getRequest<FastifyRequest>();

/** The person who is logged in, as a parameter of a handler. */
export const Viewer = createParamDecorator((_data: unknown, context: ExecutionContext): LoggedIn => {
  const { viewer } = requestOf(context);
  if (!viewer) throw new Refusal('not_logged_in');
  return viewer;
});

/** The person who is logged in, in the account of the request. */
export const ByMember = createParamDecorator((_data: unknown, context: ExecutionContext): Actor => {
  const { principal, ip } = requestOf(context);
  if (!principal?.session) throw new Refusal('not_logged_in');
  return { accountId: principal.accountId, session: principal.session, ip };
});
