import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

const UPGRADE_HEADERS = new Set(['upgrade', 'http2-settings', 'connection']);

/**
 * A client may offer to speak another protocol with an ordinary request (RFC 9110 §7.8): Java's HttpClient offers h2c
 * with each first request over http. A server that does not want to answers the request as if the offer were not there;
 * Node does so only as long as nobody listens for upgrades at all. So the request is put back, without the offer.
 */
export function replayAsRequest(
  server: Server,
  request: IncomingMessage,
  connection: { socket: Duplex; head: Buffer },
): void {
  const lines = [`${request.method} ${request.url} HTTP/1.1`];
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i];
    if (!UPGRADE_HEADERS.has(name.toLowerCase())) lines.push(`${name}: ${request.rawHeaders[i + 1]}`);
  }
  const { socket, head } = connection;
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket);
}
