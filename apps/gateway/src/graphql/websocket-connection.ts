import type { IncomingMessage } from 'node:http';
import type { Log } from '#libs/kernel';
import type { Server } from 'graphql-ws';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { LiveSocket, TOO_SLOW } from './live/live-socket.js';
import type { Session } from './websocket-protocol.js';

export const CONNECTION_TIMES = {
  /** A peer that does not read a message within this time is disconnected. */
  stallMs: 30_000,
  pingMs: 25_000,
};
const INTERNAL_ERROR = 4500;

/** Serves the protocol on one WebSocket. Buffers at most the message that is being sent. */
export function serveConnection(
  server: Server<Session>,
  peer: {
    socket: WebSocket;
    connection: Duplex;
    request: IncomingMessage;
    log: Log;
    times?: typeof CONNECTION_TIMES;
  },
): Session {
  const { socket, connection, request, log, times = CONNECTION_TIMES } = peer;
  const session: Session = { socket, request, live: new LiveSocket(socket, connection, times.stallMs) };
  const stopPings = startPings(socket, times.pingMs);
  // For oversized frames, invalid UTF-8 and resets, ws closes the connection with the right code itself.
  socket.on('error', (error) => log.debug('GraphQL connection failed', { reason: error.message }));
  const closed = server.opened(
    {
      protocol: socket.protocol,
      send: (data) => send(socket, data, times.stallMs),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (take) => {
        socket.on('message', (data: Buffer) => {
          take(data.toString('utf8')).catch((error: unknown) => {
            log.error('GraphQL message failed', error);
            socket.close(INTERNAL_ERROR, 'Internal server error');
          });
        });
      },
    },
    session,
  );
  socket.once('close', (code, reason) => {
    stopPings();
    void closed(code, reason.toString());
  });
  return session;
}

/** Resolves when the message has been sent; graphql-ws reads the next value only then. */
function send(socket: WebSocket, data: string, stallMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState !== socket.OPEN) return resolve();
    const stalled = setTimeout(() => {
      // The peer receives the code if it reads again; otherwise ws terminates the connection after 30 s.
      socket.close(TOO_SLOW, 'Too slow');
      resolve();
    }, stallMs);
    socket.send(data, () => {
      // After an error the connection is lost; its close event ends the operations.
      clearTimeout(stalled);
      resolve();
    });
  });
}

/** Terminates a connection whose peer does not answer two pings. */
function startPings(socket: WebSocket, pingMs: number): () => void {
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
