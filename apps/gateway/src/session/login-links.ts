import { Injectable } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import { Logins } from '#libs/users';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pathOfRoute } from '../http/route-table.js';
import { SessionAccess } from './session-access.js';
import { clientOf, SessionReplies } from './session-replies.js';

const LOGIN_PAGE = '/app/login';

/**
 * Login links, such as the one that the first start prints. They have the address of the login page, so that a person who
 * opens an expired one sees how to get another; the answer redirects before the page is served.
 */
@Injectable()
export class LoginLinks {
  constructor(
    private readonly logins: Logins,
    private readonly access: SessionAccess,
    private readonly replies: SessionReplies,
  ) {}

  /** False for any other request. */
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const { link } = (request.query ?? {}) as { link?: unknown };
    if (request.method !== 'GET' || typeof link !== 'string' || pathOfRoute(request) !== LOGIN_PAGE) return false;
    await reply.redirect(await this.targetOf(link, request, reply), 302);
    return true;
  }

  private async targetOf(link: string, request: FastifyRequest, reply: FastifyReply): Promise<string> {
    if (this.access.browser.transportOf(request.raw) === 'insecure') return `${LOGIN_PAGE}?error=insecure_origin`;
    const token = await this.tokenOf(link, request);
    if (token === null) return `${LOGIN_PAGE}?error=link_expired`;
    if (token === 'limited') return `${LOGIN_PAGE}?error=rate_limit_exceeded`;
    await this.replies.open(request, reply, token);
    return '/app/';
  }

  private async tokenOf(link: string, request: FastifyRequest): Promise<string | null> {
    try {
      return await this.logins.withLink(link, clientOf(request));
    } catch (error) {
      if (error instanceof Refusal && error.code === 'rate_limit_exceeded') return 'limited';
      throw error;
    }
  }
}
