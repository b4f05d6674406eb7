import { Refusal } from '#libs/contracts';
import type { FastifyRequest } from 'fastify';
import { pathOfRoute } from '../http/route-table.js';

const TRACKING_HOST = /^track\./i;
const TRACKING_PATH = '/t/';

/**
 * Hosts of tracking links belong to customers, so nothing but these links is served there: no documentation, no API and no
 * page that could pass for one of the customer. Tracking links themselves work on every host.
 * @param publicHost the host of `PUBLIC_URL`, which may itself begin with `track.`
 * @throws Refusal not_found
 */
export function refuseOnTrackingHost(request: FastifyRequest, publicHost: string): void {
  const { hostname } = request;
  if (!TRACKING_HOST.test(hostname) || hostname.toLowerCase() === publicHost) return;
  if (pathOfRoute(request).startsWith(TRACKING_PATH)) return;
  throw new Refusal('not_found');
}
