import type { IncomingMessage } from 'node:http';
import type { Log } from '#libs/kernel';
import type { Server } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { SocketSession } from './graphql-protocol.js';

export const SOCKET_TIMES = {
  /** A message that the peer has not taken for so long: it does not read. */
  stallMs: 30_000,
  pingMs: 25_000,
};
const TOO_SLOW = 4510;
const INTERNAL_ERROR = 4500;

/** Binds one WebSocket to the protocol. Holds at most the one message that the peer is taking. */
export function serveSocket(
  server: Server<SocketSession>,
  peer: { socket: WebSocket; request: IncomingMessage; log: Log; times?: typeof SOCKET_TIMES },
): SocketSession {
  const { socket, request, log, times = SOCKET_TIMES } = peer;
  const session: SocketSession = { socket, request };
  const endPings = watch(socket, times.pingMs);
  // A frame that is too large, text that is no UTF-8, a reset: ws closes with the right code itself.
  socket.on('error', (error) => log.debug('graphql socket failed', { reason: error.message }));
  const closed = server.opened(
    {
      protocol: socket.protocol,
      send: (data) => send(socket, data, times.stallMs),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (take) => {
        socket.on('message', (data: Buffer) => {
          take(data.toString('utf8')).catch((error: unknown) => {
            log.error('graphql socket message failed', error);
            socket.close(INTERNAL_ERROR, 'Internal server error');
          });
        });
      },
    },
    session,
  );
  socket.once('close', (code, reason) => {
    endPings();
    void closed(code, reason.toString());
  });
  return session;
}

/** Resolves when the message has left the process; graphql-ws pulls the next value only then. */
function send(socket: WebSocket, data: string, stallMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState !== socket.OPEN) return resolve();
    const stalled = setTimeout(() => {
      // The peer sees the code if it ever reads again; if not, ws drops the connection 30 s later.
      socket.close(TOO_SLOW, 'Too slow');
      resolve();
    }, stallMs);
    socket.send(data, () => {
      // An error here is a connection that is gone; its close event ends the operations.
      clearTimeout(stalled);
      resolve();
    });
  });
}

/** Ends a connection whose peer vanished without a word: two pings without an answer. */
function watch(socket: WebSocket, pingMs: number): () => void {
  let unanswered = 0;
  socket.on('pong', () => {
    unanswered = 0;
  });
  const timer = setInterval(() => {
    if (unanswered++ >= 2) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.ping();
  }, pingMs);
  return () => clearInterval(timer);
}
