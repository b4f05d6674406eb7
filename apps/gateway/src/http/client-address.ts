import type { IncomingMessage } from 'node:http';
import type { TrustsProxy } from '#libs/kernel';

/**
 * Where a request came from when no framework has looked at it yet, as with a WebSocket: the nearest address, from the
 * connection backwards through `X-Forwarded-For`, that is no trusted proxy. What a client wrote itself stands further.
 */
export function clientAddress(request: Pick<IncomingMessage, 'socket' | 'headers'>, trusts: TrustsProxy): string {
  const forwarded = request.headers['x-forwarded-for'] ?? '';
  const told = (Array.isArray(forwarded) ? forwarded.join(',') : forwarded)
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '');
  let address = request.socket.remoteAddress ?? '';
  while (told.length > 0 && trusts(address)) address = told.pop() ?? '';
  return address;
}
