import type { IncomingMessage, Server as HttpServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import { Log, Shutdown } from '#libs/kernel';
import { handleProtocols, type Server } from 'graphql-ws';
import { WebSocketServer, type WebSocket } from 'ws';
import { routedUrl } from '../http/target-url.js';
import { GraphqlProtocol, type SocketSession } from './graphql-protocol.js';
import { serveSocket } from './graphql-socket.js';
import { replayAsRequest } from './replay-as-request.js';

const PATH = '/graphql';
const MAX_FRAME_BYTES = 64 * 1024;
/** With what an authentication is remembered, a stream ends within a second (promise S-5). */
const RECHECK_MS = 400;
const CLOSE_GRACE_MS = 1_000;
const GOING_AWAY = 1001;
const FORBIDDEN = 4403;

/**
 * GraphQL over WebSocket, on a door of our own: the framework's accepts 100 MB frames, and an upgrade to any other path
 * followed by a reset ends the process there (no error listener on the socket).
 */
@Injectable()
export class GraphqlSockets {
  private readonly sessions = new Set<SocketSession>();
  private readonly webSockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    handleProtocols,
  });
  private protocolServer: Server<SocketSession> | undefined;
  private rechecking = false;

  constructor(
    private readonly protocol: GraphqlProtocol,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.on('intake', 'graphql sockets', () => this.closeAll());
  }

  /** Takes the upgrades of this server. */
  attach(server: HttpServer): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      // First of all: a reset may come at any time from here on, and nobody else listens for it.
      socket.on('error', () => socket.destroy());
      if (request.headers.upgrade?.toLowerCase() !== 'websocket')
        return replayAsRequest(server, request, { socket, head });
      // Never `new URL` here: it throws on `//`, and an exception in this place ends the process.
      if (routedUrl((request.url ?? '').split('?', 1)[0]) !== PATH) return refuse(socket);
      this.webSockets.handleUpgrade(request, socket, head, (webSocket) => this.accept(webSocket, request));
    });
    const recheck = setInterval(() => void this.recheckKeys(), RECHECK_MS);
    recheck.unref();
    server.once('close', () => clearInterval(recheck));
  }

  private accept(socket: WebSocket, request: IncomingMessage): void {
    this.protocolServer ??= this.protocol.server();
    const session = serveSocket(this.protocolServer, { socket, request, log: this.log });
    this.sessions.add(session);
    socket.once('close', () => this.sessions.delete(session));
  }

  /** A revoked key and a blocked account lose their streams (D-55). */
  private async recheckKeys(): Promise<void> {
    if (this.rechecking) return;
    this.rechecking = true;
    for (const session of [...this.sessions])
      if (!(await this.stillAllowed(session))) session.socket.close(FORBIDDEN, 'Forbidden');
    this.rechecking = false;
  }

  private async stillAllowed({ token, request }: SocketSession): Promise<boolean> {
    if (token === undefined) return true;
    try {
      await this.protocol.admitted(token, request);
      return true;
    } catch (error) {
      // A store that cannot be asked says nothing about the key.
      return !(error instanceof Refusal);
    }
  }

  private async closeAll(): Promise<void> {
    const sockets = [...this.webSockets.clients];
    await Promise.all(
      sockets.map(
        (socket) =>
          new Promise<void>((resolve) => {
            const timer = setTimeout(() => socket.terminate(), CLOSE_GRACE_MS);
            socket.once('close', () => {
              clearTimeout(timer);
              resolve();
            });
            socket.close(GOING_AWAY, 'Going away');
          }),
      ),
    );
  }
}

function refuse(socket: Duplex): void {
  socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
}
