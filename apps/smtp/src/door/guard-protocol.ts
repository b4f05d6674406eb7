import { TLSSocket } from 'node:tls';
import type { Socket } from 'node:net';

/**
 * Lets a TLS socket that is destroyed be asked for its protocol. Node.js 20 reads freed memory there and the process ends
 * with a segmentation fault; the library asks whenever a handshake is cut, by the client or by a stop.
 */
export function guardProtocol(socket: Socket): void {
  if (!(socket instanceof TLSSocket)) return;
  const getProtocol = socket.getProtocol.bind(socket);
  socket.getProtocol = () => (socket.destroyed ? null : getProtocol());
}
