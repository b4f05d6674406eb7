import { Injectable } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import { Logins } from '#libs/users';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pathOfRoute } from '../http/route-table.js';
import { SessionAccess } from './session-access.js';
import { SessionReplies } from './session-replies.js';

const LOGIN_PAGE = '/app/login';

/**
 * Login links, such as the one that the first start prints. They have the address of the login page, so that a person who
 * opens an expired one sees how to get another; the answer redirects before the page is served. Only a navigation uses a link.
 * Others, such as scanners, previews of chat programs, prefetches and images of pages, get the page, which has a button.
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
    if (typeof link !== 'string' || pathOfRoute(request) !== LOGIN_PAGE || !isNavigation(request)) return false;
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
      return await this.logins.withLink(link, this.replies.clientOf(request));
    } catch (error) {
      if (error instanceof Refusal && error.code === 'rate_limit_exceeded') return 'limited';
      throw error;
    }
  }
}

/** Headers by which browsers mark requests that no person has made yet. */
const EARLY = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;

/** Whether a person opens the page in a tab (W3C Fetch Metadata). A browser without these headers gets the button. */
function isNavigation({ method, headers }: FastifyRequest): boolean {
  if (method !== 'GET' || headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document')
    return false;
  return EARLY.every((name) => headers[name] === undefined);
}
