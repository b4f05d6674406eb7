import { parseUrl } from '#libs/kernel';
import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimit, type Principal, permissions } from '#libs/accounts';
import { bareUuid, Refusal, type Ability, type Scope } from '#libs/contracts';
import type { RateLimitResult } from '#libs/kernel';
import { bodyLimitsOf, bodyTooLarge, type BodyLimits } from './body/body-limits.js';
import { bearerToken } from './caller.js';
import { assertResendBaseUrl } from '../resend/resend-route.js';
import { isInUtf8, mediaTypeOf } from './media-type.js';
import { KeyAttempts } from './key-attempts.js';
import { isAbility } from './route-access.js';
import { pathOfRoute, RouteTable } from './route-table.js';
import { ACCOUNT_HEADER, principalOf, requireMembership, SessionAccess } from '../session/session-access.js';

/** The part of the path that only the dashboard uses. */
const DASHBOARD_API = '/app/api/';

/**
 * All checks before the body is read, in this order: unknown path (404), key or session (401, or 429 after many wrong ones),
 * address, account and scope (403), rate (429), method (405), declared size (422), content type (400, 415). Without a valid
 * key or session, no body is read, scanned or parsed. An unknown path with a valid key is counted and logged like any other
 * request.
 */
@Injectable()
export class RequestGuard {
  readonly routes = new RouteTable();

  constructor(
    private readonly keyAttempts: KeyAttempts,
    private readonly rateLimit: RateLimit,
    private readonly sessions: SessionAccess,
  ) {}

  /** @throws Refusal of the first check that fails */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const access = request.is404 ? undefined : request.routeOptions.config.access;
    if (access === 'public') return this.admitToPublic(request);
    if (access === 'session') return this.admitPerson(request);
    assertResendBaseUrl(request);
    const principal = await this.authenticate(request).catch((error: unknown) => {
      throw request.is404 && this.routes.methodsFor(request.url).length === 0 ? new Refusal('not_found') : error;
    });
    request.principal = principal;
    // Before the rate limit, so that a stolen key used from elsewhere cannot use up the requests of the account.
    permissions.requireAddress(principal, request.ip);
    const rate = await this.takeFromRateLimit(principal, reply);
    permissions.requireStanding(principal);
    if (access) assertPermitted(request, principal, access);
    if (!rate.allowed) throw new Refusal('rate_limit_exceeded', [], undefined, Math.max(1, rate.resetSeconds));
    if (request.is404) this.refuseUnknownRoute(request, reply);
    requireReadableBody(request, bodyLimitsOf(request.routeOptions.config));
    requireValidHost(request);
  }

  /** Public routes of the dashboard begin sessions, so pages of other sites must not call them. A link may lead to the others. */
  private admitToPublic(request: FastifyRequest): void {
    // The body of a GET or HEAD request is not read.
    if (request.method === 'GET' || request.method === 'HEAD') return;
    if (pathOfRoute(request).startsWith(DASHBOARD_API)) this.sessions.assertOwnPage(request.raw);
    requireReadableBody(request, bodyLimitsOf(request.routeOptions.config));
  }

  /** Everybody with a session, whatever the accounts: their standing and their rate limits do not apply. */
  private async admitPerson(request: FastifyRequest): Promise<void> {
    const token = this.sessions.tokenOf(request.raw);
    if (token === null) {
      await this.keyAttempts.authenticate(bearerToken(request.headers.authorization), request.ip);
      throw new Refusal('restricted_api_key', [], 'An API key may not do that: sign in to the dashboard.');
    }
    request.viewer = await this.sessions.viewerOf(token);
    requireReadableBody(request, bodyLimitsOf(request.routeOptions.config));
  }

  private async authenticate(request: FastifyRequest): Promise<Principal> {
    const token = this.sessions.tokenOf(request.raw);
    if (token === null) {
      const principal = await this.keyAttempts.authenticate(bearerToken(request.headers.authorization), request.ip);
      return { ...principal, ip: request.ip };
    }
    const viewer = await this.sessions.viewerOf(token);
    request.viewer = viewer;
    return principalOf(viewer, requireMembership(viewer, namedAccount(request)), request.ip);
  }

  /** Every authenticated response has the rate limit headers, including refusals. */
  private async takeFromRateLimit(principal: Principal, reply: FastifyReply): Promise<RateLimitResult> {
    const rate = await this.rateLimit.take(principal.accountId);
    if (rate.limit > 0)
      void reply.headers({
        'ratelimit-limit': String(rate.limit),
        'ratelimit-remaining': String(rate.remaining),
        'ratelimit-reset': String(rate.resetSeconds),
      });
    return rate;
  }

  private refuseUnknownRoute(request: FastifyRequest, reply: FastifyReply): never {
    const methods = this.routes.methodsFor(request.url);
    if (methods.length === 0) throw new Refusal('not_found');
    void reply.header('allow', methods.join(', '));
    throw new Refusal('method_not_allowed');
  }
}

/** The header, or for a link, which cannot send one, the query parameter of the same name. */
function namedAccount({ headers, query }: FastifyRequest): unknown {
  return headers[ACCOUNT_HEADER] ?? (query as Record<string, unknown>)[ACCOUNT_HEADER];
}

function assertPermitted(request: FastifyRequest, principal: Principal, access: Ability | Scope): void {
  if (isAbility(access)) permissions.requireAbility(principal, access);
  else assertInScope(request, principal, access);
}

function assertInScope({ routeOptions, params }: FastifyRequest, principal: Principal, scope: Scope): void {
  const { ownKey = false, states = false, wholeAccount = false } = routeOptions.config;
  if (ownKey && namesKey(params as { id?: string }, principal)) return;
  (states ? permissions.requireStates : permissions.requireScope)(principal, scope);
  if (wholeAccount) permissions.requireWholeAccount(principal);
}

/** Clients of Resend write ids as UUIDs. */
const namesKey = ({ id = '' }: { id?: string }, { keyId }: Principal): boolean =>
  id === keyId || id.toLowerCase() === bareUuid(keyId);

/** Refuses by the headers a body that would be refused after reading it. */
export function requireReadableBody(
  { headers }: Pick<FastifyRequest, 'headers'>,
  limits: Omit<BodyLimits, 'json'>,
): void {
  const length = Number(headers['content-length'] ?? 0);
  if (length > limits.bytes) throw bodyTooLarge(limits);
  if (length === 0 && headers['transfer-encoding'] === undefined) return;
  if (limits.type === 'any') return;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw new Refusal('compressed_body');
  const contentType = headers['content-type'] ?? '';
  if (mediaTypeOf(contentType) !== limits.type)
    throw new Refusal('wrong_content_type', [], `The content type must be ${limits.type}.`);
  if (!isInUtf8(contentType))
    throw new Refusal('wrong_content_type', [], `The charset of ${limits.type} must be UTF-8.`);
}

/** Header fields of which Node.js keeps the first or joins all, where a proxy may have decided by another one. */
const SINGLE_FIELDS = new Set(['host', 'authorization', 'content-type', 'idempotency-key']);

/**
 * @throws Refusal for an HTTP/1.1 request without a Host header, or a request with two of a header that may occur once
 * (RFC 9112 section 3.2, RFC 9110 section 5.3)
 */
export function requireSingleFields({ headers, httpVersion, rawHeaders }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1')
    throw new Refusal('validation_error', [], 'The request has no Host header.');
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i].toLowerCase();
    if (seen.has(name) && SINGLE_FIELDS.has(name))
      throw new Refusal('validation_error', [], `The header ${rawHeaders[i]} must be given once.`);
    seen.add(name);
  }
}

/** The GraphQL server builds a URL from the Host header and fails on an invalid one. */
function requireValidHost({ routeOptions, hostname }: FastifyRequest): void {
  if (routeOptions.url === '/graphql' && parseUrl(`http://${hostname}/`) === null)
    throw new Refusal('invalid_parameter', [], 'The Host header is not a host name.');
}
