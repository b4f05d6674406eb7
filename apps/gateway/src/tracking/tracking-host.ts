import { Refusal } from '#libs/contracts';
import type { FastifyRequest } from 'fastify';

const TRACKING_HOST = /^track\./i;
const TRACKING_PATH = /^\/t\//;

/**
 * Hosts of tracking links belong to customers, so nothing but these links is served there: no documentation, no API and no
 * page that could pass for one of the customer. Tracking links themselves work on every host.
 * @param publicHost the host of `PUBLIC_URL`, which may itself begin with `track.`
 * @throws Refusal not_found
 */
export function refuseOnTrackingHost(
  { hostname, originalUrl }: Pick<FastifyRequest, 'hostname' | 'originalUrl'>,
  publicHost: string,
): void {
  if (!TRACKING_HOST.test(hostname) || hostname.toLowerCase() === publicHost || TRACKING_PATH.test(originalUrl)) return;
  throw new Refusal('not_found');
}
