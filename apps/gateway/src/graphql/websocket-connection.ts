import type { IncomingMessage } from 'node:http';
import type { Log } from '#libs/kernel';
import { MessageType, stringifyMessage, type Server } from 'graphql-ws';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { LiveSocket, TOO_SLOW } from './live/live-socket.js';
import { MessageIntake } from './message-intake.js';
import type { Session } from './websocket-protocol.js';

export const CONNECTION_TIMES = {
  /** A peer that does not read a message within this time is disconnected. */
  stallMs: 30_000,
  pingMs: 25_000,
};
const INTERNAL_ERROR = 4500;
/** Results that may wait for a client besides the one that is sent next. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
/** RFC 6455 section 5.5: 125 bytes, two of which are the code. */
const REASON_BYTES = 123;

/** Serves the protocol on one WebSocket. A client that does not read its answers is not read either. */
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
  const live = new LiveSocket(socket, connection, times.stallMs);
  const session: Session = { socket, request, live };
  const stopPings = startPings(socket, times.pingMs);
  // For oversized frames, invalid UTF-8 and resets, ws closes the connection with the right code itself.
  socket.on('error', (error) => log.debug('GraphQL connection failed', { reason: error.message }));
  const closed = server.opened(
    {
      protocol: socket.protocol,
      send: (data) => send(socket, data, times.stallMs),
      // Some reasons quote the client.
      close: (code, reason = '') => socket.close(code, Buffer.from(reason).subarray(0, REASON_BYTES).toString('utf8')),
      // The payload of a ping is up to the client, so no answer contains it.
      onPing: () => send(socket, PONG, times.stallMs),
      onMessage: (take) => {
        const taken = (message: string) =>
          void take(message).catch((error: unknown) => {
            log.error('GraphQL message failed', error);
            socket.close(INTERNAL_ERROR, 'Internal server error');
          });
        return new MessageIntake(session, live, taken);
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

const PONG = stringifyMessage({ type: MessageType.Pong });

/** Resolves when the message has been sent; graphql-ws reads the next value only then. */
function send(socket: WebSocket, data: string, stallMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState !== socket.OPEN) return resolve();
    // Operations that began while the client still read may all have results at once.
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES) {
      socket.close(TOO_SLOW, 'Too slow');
      return resolve();
    }
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
