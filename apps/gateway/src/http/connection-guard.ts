import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import {
  Config,
  ConnectionLimiter,
  Metrics,
  trustedProxies,
  type Admission,
  type ProxyCheck,
  connectionLimits,
} from '#libs/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge } from 'prom-client';
import { clientAddress } from './caller.js';
import { UnfinishedRequests } from './unfinished-requests.js';

/** Room for connections that are refused with a response; beyond it they are dropped. */
const DROP_FACTOR = 1.25;
/** Part of the connections from which on the deadline for requests is shorter. */
const PRESSURE = 3 / 4;
/** Deadline for a request under pressure. */
const UNFINISHED_MS = 5_000;
const SWEEP_MS = 1_000;

/**
 * Limits the open connections of the HTTP server, WebSockets and TLS handshakes included: HTTP_CONNECTIONS of all clients,
 * and HTTP_CONNECTIONS_PER_IP of one client network. Behind a proxy all connections come from its address, so there the
 * second limit applies to requests in progress and WebSockets, by forwarded address.
 *
 * When three quarters of HTTP_CONNECTIONS are open, connections without a complete request for five seconds are closed. When
 * all are open, the oldest of them is closed for each new connection.
 */
@Injectable()
export class ConnectionGuard {
  private readonly connections: ConnectionLimiter;
  /** Requests and WebSockets by forwarded address; null without a proxy. */
  private readonly inProgress: ConnectionLimiter | null;
  private readonly trustsProxy: ProxyCheck;
  private readonly counted = new WeakSet<Socket>();
  /** Closes an open connection; by the address and port of the client, as below. */
  private readonly open = new Map<string, () => void>();
  private readonly unfinished = new UnfinishedRequests();
  /** Connections from which on unfinished requests have a shorter deadline. */
  private readonly pressure: number;
  /** The refusals of connections beyond a limit, by the address and port of the client. */
  private readonly refused = new Map<string, Refusal>();
  private readonly refusals: Counter<'reason'>;

  constructor(config: Config, { registry }: Metrics) {
    const { HTTP_CONNECTIONS_PER_IP: perNetwork, TRUST_PROXY } = config.settings;
    const hasProxy = TRUST_PROXY !== 'off';
    const overall = connectionLimits.http(config);
    this.pressure = PRESSURE * overall;
    this.trustsProxy = trustedProxies(TRUST_PROXY);
    this.connections = new ConnectionLimiter({
      perNetwork: hasProxy ? Infinity : perNetwork,
      overall,
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
    const sweep = setInterval(() => {
      if (this.connections.size >= this.pressure) this.unfinished.closeLongerThan(UNFINISHED_MS);
    }, SWEEP_MS);
    sweep.unref();
    server.once('close', () => clearInterval(sweep));
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
    this.awaitRequest(request.raw, reply);
  }

  /** The client of this request is known, so that its connection is not closed for others while it sends a body. */
  authenticated(request: IncomingMessage): void {
    this.unfinished.end(nameOf(request.socket));
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
    const admission = this.admissionOf(address);
    this.track(socket, { name, address });
    if (admission === 'serve') return;
    const isFull = this.connections.isFull();
    this.refusals.inc({ reason: isFull ? 'overall' : 'address' });
    if (admission === 'drop') socket.destroy();
    else this.refused.set(name, isFull ? serverFull() : tooManyFromAddress());
  }

  /** Counts a connection; if all are in use, the oldest without a request is closed for it. */
  private admissionOf(address: string): Admission {
    const admission = this.connections.admit(address);
    const isForOthers = this.connections.isFull() && !this.connections.isShareFull(address);
    return isForOthers && this.unfinished.closeOldest() ? 'serve' : admission;
  }

  private track(socket: Socket, { name, address }: { name: string; address: string }): void {
    const release = () => {
      if (this.open.get(name) !== close) return;
      this.open.delete(name);
      this.unfinished.end(name);
      this.refused.delete(name);
      this.connections.release(address);
    };
    const close = () => {
      // At once, because the event of the socket comes later.
      release();
      socket.destroy();
    };
    this.open.set(name, close);
    this.unfinished.begin(name, close);
    socket.once('close', release);
  }

  /** The head of a request has arrived. It is unfinished until its body has, and the next one from its response on. */
  private awaitRequest(request: IncomingMessage, reply: FastifyReply): void {
    const name = nameOf(request.socket);
    const arrived = () => this.unfinished.end(name);
    if (hasNoBody(request)) arrived();
    else request.once('end', arrived);
    reply.raw.once('close', () => {
      request.off('end', arrived);
      const close = this.open.get(name);
      if (close) this.unfinished.begin(name, close);
    });
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

/** RFC 9112 section 6.3 */
const hasNoBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;

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
