import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import { Config, isPublicAddress } from '#libs/kernel';
import type { FastifyRequest } from 'fastify';
import { bearerToken } from '../../http/caller.js';

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
/** Names that no public DNS server resolves (RFC 6761, RFC 6762, RFC 8375, ICANN's `.internal`), and names without a dot. */
const PRIVATE_NAME = /^[^.]+$|\.(?:localhost|local|test|internal|home\.arpa)$/;

/**
 * Access to `/metrics` on HTTP_PORT. With METRICS_TOKEN: for clients that send it. Without: for clients on the same host, as
 * long as there is no proxy on that host and the service is not public. OPS_PORT always serves them.
 */
@Injectable()
export class MetricsAccess {
  private readonly digest: Buffer | null;
  private readonly isPrivate: boolean;

  constructor({ settings }: Config) {
    this.digest = settings.METRICS_TOKEN === undefined ? null : digestOf(settings.METRICS_TOKEN);
    this.isPrivate = settings.TRUST_PROXY === 'off' && !isPublicUrl(settings.PUBLIC_URL);
  }

  /** @throws Refusal `not_found`; with METRICS_TOKEN `missing_api_key`, `invalid_api_key` */
  require(request: FastifyRequest): void {
    if (this.digest !== null) return this.requireToken(this.digest, request);
    // A request with a forwarding header came through a proxy that is not configured.
    const forwarded = request.headers['x-forwarded-for'] ?? request.headers['forwarded'];
    const isLocal = forwarded === undefined && LOOPBACK.test(request.socket.remoteAddress ?? '');
    if (!this.isPrivate || !isLocal) throw new Refusal('not_found');
  }

  private requireToken(digest: Buffer, { headers }: FastifyRequest): void {
    if (!timingSafeEqual(digestOf(bearerToken(headers.authorization)), digest))
      throw new Refusal('invalid_api_key', [], 'The token is not the METRICS_TOKEN of this service.');
  }
}

/** Of equal length, as `timingSafeEqual` requires. */
const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Whether the host of a URL may be reached from other networks: a public address, or a name of the public DNS. */
export function isPublicUrl(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return isIP(host) === 0 ? !PRIVATE_NAME.test(host) : isPublicAddress(host);
}
