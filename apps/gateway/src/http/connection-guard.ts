import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import { Config, ConnectionLimiter, httpConnectionLimit, Metrics, trustedProxies, type ProxyCheck } from '#libs/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge } from 'prom-client';
import { clientAddress } from './caller.js';

/** Room for connections that are refused with a response; beyond it they are dropped. */
const DROP_FACTOR = 1.25;

/**
 * Limits the open connections of the HTTP server, WebSockets and TLS handshakes included: HTTP_CONNECTIONS of all clients,
 * and HTTP_CONNECTIONS_PER_IP of one client network. Behind a proxy all connections come from its address, so there the
 * second limit applies to requests in progress and WebSockets, by forwarded address.
 */
@Injectable()
export class ConnectionGuard {
  private readonly connections: ConnectionLimiter;
  /** Requests and WebSockets by forwarded address; null without a proxy. */
  private readonly inProgress: ConnectionLimiter | null;
  private readonly trustsProxy: ProxyCheck;
  private readonly counted = new WeakSet<Socket>();
  /** The refusals of connections beyond a limit, by the address and port of the client. */
  private readonly refused = new Map<string, Refusal>();
  private readonly refusals: Counter<'reason'>;

  constructor(config: Config, { registry }: Metrics) {
    const { HTTP_CONNECTIONS_PER_IP: perNetwork, TRUST_PROXY } = config.settings;
    const hasProxy = TRUST_PROXY !== 'off';
    this.trustsProxy = trustedProxies(TRUST_PROXY);
    this.connections = new ConnectionLimiter({
      perNetwork: hasProxy ? Infinity : perNetwork,
      overall: httpConnectionLimit(config),
      dropFactor: DROP_FACTOR,
    });
    this.inProgress = hasProxy ? new ConnectionLimiter({ perNetwork }) : null;
    const { connections } = this;
    new Gauge({
      name: 'postloft_http_connections',
      help: 'Open HTTP connections, WebSockets included.',
      registers: [registry],
      collect() {
        this.set(connections.size);
      },
    });
    this.refusals = new Counter({
      name: 'postloft_http_connections_refused_total',
      help: 'HTTP connections, and requests behind a proxy, refused because of a limit.',
      labelNames: ['reason'],
      registers: [registry],
    });
  }

  /** Counts the connections of this server. */
  attach(server: Server): void {
    server.on('connection', (socket: Socket) => this.admit(socket));
  }

  /** Counts a request behind a proxy until its response ends. @throws Refusal when the client is beyond a limit */
  admitRequest(request: FastifyRequest, reply: FastifyReply): void {
    const refusal = this.refusalOf(request.raw.socket);
    if (refusal) {
      // Only the connection is too many: the client sends the request again over another one.
      void reply.header('connection', 'close');
      throw refusal;
    }
    this.count(request.ip, (release) => reply.raw.once('close', release));
  }

  /** As `admitRequest`, for an upgraded connection. */
  admitUpgrade(request: IncomingMessage): void {
    const refusal = this.refusalOf(request.socket);
    if (refusal) throw refusal;
    this.count(clientAddress(request, this.trustsProxy), (release) => request.socket.once('close', release));
  }

  private admit(socket: Socket): void {
    // A request whose upgrade is ignored is passed to the server as a new connection.
    if (this.counted.has(socket)) return;
    this.counted.add(socket);
    const address = socket.remoteAddress ?? '';
    const name = nameOf(socket);
    const admission = this.connections.admit(address);
    socket.once('close', () => {
      this.connections.release(address);
      this.refused.delete(name);
    });
    if (admission === 'serve') return;
    const isFull = this.connections.isFull();
    this.refusals.inc({ reason: isFull ? 'overall' : 'address' });
    if (admission === 'drop') socket.destroy();
    else this.refused.set(name, isFull ? serverFull() : tooManyFromAddress());
  }

  /** By address and port, because a request over TLS has another socket object than its connection. */
  private refusalOf(socket: Socket): Refusal | undefined {
    return this.refused.size === 0 ? undefined : this.refused.get(nameOf(socket));
  }

  private count(address: string, atEnd: (release: () => void) => void): void {
    const { inProgress } = this;
    if (inProgress === null) return;
    const admission = inProgress.admit(address);
    if (admission === 'serve') return atEnd(() => inProgress.release(address));
    inProgress.release(address);
    this.refusals.inc({ reason: 'address' });
    throw tooManyFromAddress();
  }
}

const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

const RETRY_SECONDS = 5;

const serverFull = (): Refusal =>
  new Refusal('service_unavailable', [], 'This server has too many open connections. Try again.', RETRY_SECONDS);

const tooManyFromAddress = (): Refusal =>
  new Refusal(
    'rate_limit_exceeded',
    [],
    'Too many connections or concurrent requests from this address. Use fewer at a time.',
    RETRY_SECONDS,
  );
