import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { plainAddress, type ProxyCheck } from '#libs/kernel';
import type { FastifyRequest } from 'fastify';

/** The authenticated principal of the request, as a parameter of a handler. */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!principal) throw new Refusal('missing_api_key');
  return principal;
});

/** The key of an `Authorization: Bearer <API_KEY>` header (RFC 6750 section 2.1). @throws Refusal `missing_api_key`. */
export function bearerToken(authorization: unknown): string {
  if (typeof authorization !== 'string' || authorization.slice(0, 7).toLowerCase() !== 'bearer ')
    throw new Refusal('missing_api_key');
  const token = authorization.slice(7).trim();
  if (token === '') throw new Refusal('missing_api_key');
  return token;
}

/**
 * The address of the client of a request: going back from the connection through `X-Forwarded-For`, the first address that
 * is not a trusted proxy. Addresses before that one are under the control of the client, and so is everything before an
 * element that is no address: the proxy that has named it counts as the client.
 */
export function clientAddress(request: Pick<IncomingMessage, 'socket' | 'headers'>, trusts: ProxyCheck): string {
  const header = request.headers['x-forwarded-for'] ?? '';
  const peer = request.socket.remoteAddress ?? '';
  let address = plainAddress(peer) ?? peer;
  if (header === '' || !trusts(address)) return address;
  const forwarded = String(header)
    .split(',')
    .filter((element) => element.trim() !== '');
  while (forwarded.length > 0 && trusts(address)) {
    const next = plainAddress(forwarded.pop() ?? '');
    if (next === null) return address;
    address = next;
  }
  return address;
}

/** Makes `request.ip` the address of the client, for which Fastify would take any text that a proxy forwards. */
export function setClientAddress(request: FastifyRequest, trusts: ProxyCheck): void {
  Object.defineProperty(request, 'ip', { value: clientAddress(request.raw, trusts) });
}
