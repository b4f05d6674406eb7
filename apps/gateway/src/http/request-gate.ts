import { Injectable } from '@nestjs/common';
import {
  ApiKeys,
  assertAddress,
  assertScope,
  assertStanding,
  RateLimit,
  type Principal,
  type RateVerdict,
} from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerToken } from './bearer-token.js';
import { bodyLimitsOf, bodyTooLarge, type BodyLimits } from './body-limits.js';
import { RouteTable } from './route-table.js';

/**
 * Everything that is decided before a body is read, in the order of D-20: key (401), address, account and scope (403),
 * rate (429), route (404, 405), declared size (422), type of the body (400, 415). So nobody without a key can make the
 * process read, scan or parse anything.
 */
@Injectable()
export class RequestGate {
  readonly routes = new RouteTable();

  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly rateLimit: RateLimit,
  ) {}

  /** @throws Refusal for the first check that says no. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const access = request.is404 ? undefined : request.routeOptions.config.access;
    if (access === 'public') return;
    const principal = await this.apiKeys.authenticate(bearerToken(request.headers.authorization));
    request.principal = principal;
    // Before anything is counted: whoever found the key elsewhere cannot use up the account's requests.
    assertAddress(principal, request.ip);
    const rate = await this.count(principal, reply);
    assertStanding(principal);
    if (access) assertScope(principal, access);
    if (!rate.allowed) throw new Refusal('rate_limit_exceeded', [], undefined, Math.max(1, rate.resetSeconds));
    if (request.is404) this.refuseUnknownRoute(request, reply);
    requireReadableBody(request, bodyLimitsOf(request.routeOptions.config));
    requireReadableHost(request);
  }

  /** Every authenticated answer tells the state of the limit, refusals included (D-52). */
  private async count(principal: Principal, reply: FastifyReply): Promise<RateVerdict> {
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

/** A body that would be refused anyway is refused by its headers. */
export function requireReadableBody(
  { headers }: Pick<FastifyRequest, 'headers'>,
  limits: Omit<BodyLimits, 'structure'>,
): void {
  const length = Number(headers['content-length'] ?? 0);
  if (length > limits.bytes) throw bodyTooLarge(limits);
  if (length === 0 && headers['transfer-encoding'] === undefined) return;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw new Refusal('compressed_body');
  if (limits.type !== 'any' && !isOfType(limits.type, headers['content-type']))
    throw new Refusal('wrong_content_type', [], `The content type must be ${limits.type}.`);
}

/** @throws Refusal for a request of HTTP/1.1 without the header that names the host (RFC 9112 §3.2). */
export function requireHost({ headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>): void {
  if (headers.host === undefined && raw.httpVersion === '1.1')
    throw new Refusal('validation_error', [], 'The request has no Host header.');
}

/** The GraphQL server builds a URL from the host and breaks on one that is none. */
function requireReadableHost({ routeOptions, hostname }: FastifyRequest): void {
  if (routeOptions.url === '/graphql' && !URL.canParse(`http://${hostname}/`))
    throw new Refusal('invalid_parameter', [], 'The Host header is not a host name.');
}

/** This media type, alone or with `charset=utf-8`; RFC 8259 §8.1 allows no other charset for JSON, nor do we for CSV. */
function isOfType(wanted: string, contentType: string | undefined): boolean {
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';');
  return (
    type.trim() === wanted &&
    parameters.every((parameter) => {
      const [name, value = ''] = parameter.trim().split('=');
      return name !== 'charset' || value.replaceAll('"', '') === 'utf-8';
    })
  );
}
