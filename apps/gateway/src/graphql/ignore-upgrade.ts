import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

const UPGRADE_HEADERS = new Set(['upgrade', 'http2-settings', 'connection']);

/**
 * Handles a request as if it had no Upgrade header. RFC 9110 section 7.8 lets a server ignore an upgrade to a protocol that
 * it does not support; Java's HttpClient offers h2c with its first request. Node ignores upgrades only as long as there is
 * no listener for them, so the request is fed to the server again without the header.
 */
export function ignoreUpgrade(
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
