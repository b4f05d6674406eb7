import type { IncomingMessage, Server as HttpServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import { Config, Log, Shutdown } from '#libs/kernel';
import { handleProtocols, type Server } from 'graphql-ws';
import { WebSocket, WebSocketServer } from 'ws';
import { answerAndClose } from '../http/client-error.js';
import { ConnectionGuard } from '../http/connection-guard.js';
import { requireSingleFields } from '../http/request-guard.js';
import { commonHeaders } from '../http/response-headers.js';
import { decodedPath, routedUrl } from '../http/route-table.js';
import { SessionAccess } from '../session/session-access.js';
import { FORBIDDEN, WebSocketProtocol, type Session } from './websocket-protocol.js';
import { serveConnection } from './websocket-connection.js';
import { ignoreUpgrade } from './ignore-upgrade.js';

const PATH = '/graphql';
const MAX_FRAME_BYTES = 64 * 1024;
const FRAME_TOO_LARGE = 1009;
/** Together with the lifetime of a cached authentication, a key that is revoked or loses permissions loses its connections within one second. */
const RECHECK_MS = 400;
const CLOSE_GRACE_MS = 1_000;
const GOING_AWAY = 1001;

/** Names the way out when `ws` itself closes a connection because of a frame that is too large. */
class GraphqlWebSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    const isUnexplained = code === FRAME_TOO_LARGE && reason === undefined;
    super.close(code, isUnexplained ? 'Messages have at most 64 KiB; send larger ones over HTTP to /graphql' : reason);
  }
}

/**
 * GraphQL over WebSocket. Replaces the server of the framework, which accepts frames of 100 MB and has no error listener on
 * sockets: a reset after an upgrade to another path would end the process.
 */
@Injectable()
export class GraphqlWebSocketServer {
  private readonly sessions = new Set<Session>();
  private readonly webSockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    WebSocket: GraphqlWebSocket,
    perMessageDeflate: false,
    handleProtocols,
  });
  private protocolServer: Server<Session> | undefined;
  private rechecking = false;
  private readonly commonHeaders: Record<string, string>;

  constructor(
    private readonly protocol: WebSocketProtocol,
    private readonly connections: ConnectionGuard,
    private readonly sessionAccess: SessionAccess,
    private readonly log: Log,
    config: Config,
    shutdown: Shutdown,
  ) {
    this.commonHeaders = commonHeaders(config);
    shutdown.on('intake', 'GraphQL connections', () => this.closeAll());
  }

  /** Handles the upgrade requests of this server. */
  attach(server: HttpServer): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      // Registered first, because a reset can occur at any time and there is no other listener.
      socket.on('error', () => socket.destroy());
      if (request.headers.upgrade?.toLowerCase() !== 'websocket')
        return ignoreUpgrade(server, request, { socket, head });
      try {
        requireSingleFields(request);
        // Not `new URL`: it throws on `//`, and an exception here would end the process.
        if (decodedPath(routedUrl(request.url ?? '')) !== PATH) throw new Refusal('not_found');
        // A browser sends the cookie of a session for the page of any site.
        this.sessionAccess.tokenOf(request);
        this.connections.admitUpgrade(request);
      } catch (refusal) {
        return answerAndClose(socket, refusal as Refusal, this.commonHeaders);
      }
      this.webSockets.handleUpgrade(request, socket, head, (webSocket) => this.accept(webSocket, socket, request));
    });
    const recheck = setInterval(() => void this.recheckKeys(), RECHECK_MS);
    recheck.unref();
    server.once('close', () => clearInterval(recheck));
  }

  private accept(socket: WebSocket, connection: Duplex, request: IncomingMessage): void {
    this.protocolServer ??= this.protocol.server();
    const session = serveConnection(this.protocolServer, { socket, connection, request, log: this.log });
    this.sessions.add(session);
    socket.once('close', () => {
      this.sessions.delete(session);
      this.protocol.release(session);
    });
  }

  /** Closes connections of keys and sessions that were revoked or have fewer permissions than before, and of blocked accounts. */
  private async recheckKeys(): Promise<void> {
    if (this.rechecking) return;
    this.rechecking = true;
    // Concurrently: look-ups of several keys share a statement, and those of one key a cache entry.
    await Promise.all(
      [...this.sessions].map(async (session) => {
        if (!(await this.isStillAuthorized(session))) session.socket.close(FORBIDDEN, 'Forbidden');
      }),
    );
    this.rechecking = false;
  }

  private async isStillAuthorized(session: Session): Promise<boolean> {
    try {
      await this.protocol.reauthorize(session);
      return true;
    } catch (error) {
      // An unavailable database says nothing about the key.
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
