import { TtlMap } from '#libs/kernel';
import { ProviderConnections } from './provider-connections.js';
import { SmtpConnection } from './connection.js';
import { CourierClosing, HostBusy, SmtpFailure } from './failure.js';
import { shakeHands, type HandshakeSettings } from './handshake.js';
import { allowsPlaintext, type MxEndpoint } from '../routing/mx-endpoint.js';
import { sessionResult } from '../tls/session-result.js';
import type { TlsResult } from '../tls/tls-result.js';

export interface PoolSettings extends HandshakeSettings {
  connectionsPerHost: number;
  /** Milliseconds. */
  freeConnectionMs: number;
  log: (event: object) => void;
}

/** The attempt that opens a connection. */
export interface PoolAttempt {
  /** On the clock of `performance.now()`. */
  deadlineAt: number;
  tlsResults: TlsResult[];
}

/** Many servers close or slow down a connection after some hundred messages, so it is replaced before. */
const MAILS_PER_CONNECTION = 100;
const IDLE_MS = 30_000;
/** Bound of the caches of hosts without working TLS and of unreachable hosts. */
const MAX_FAULTY_HOSTS = 10_000;
/** How long a host is used without TLS after a failed TLS handshake. */
const NO_TLS_MS = 600_000;
/** How long a host that could not be reached, or that refused us, is tried after its alternatives. */
const UNREACHABLE_MS = 30_000;

interface Waiter {
  /** Receives an open connection, or null: the right to open one. */
  grant: (connection: SmtpConnection | null) => void;
  refuse: (reason: Error) => void;
}

interface Host {
  key: string;
  /** Connections that exist or are being opened. Each holds one slot until its socket is closed. */
  slots: number;
  idle: SmtpConnection[];
  waiters: Waiter[];
}

/**
 * Keeps connections open per endpoint. Invariants: `slots` never exceeds the limit of the host; no caller waits while a
 * connection is idle; callers are served in order.
 */
export class ConnectionPool {
  private readonly hosts = new Map<string, Host>();
  private readonly owned = new Map<SmtpConnection, Host>();
  private readonly providers = new ProviderConnections();
  private readonly brokenTls = new TtlMap<string, true>(MAX_FAULTY_HOSTS);
  private readonly unreachable = new TtlMap<string, true>(MAX_FAULTY_HOSTS);
  private readonly waitingForEmpty: (() => void)[] = [];
  private closing = false;

  constructor(private readonly settings: PoolSettings) {}

  /** An idle connection, or null. */
  take(endpoint: MxEndpoint): SmtpConnection | null {
    const idle = this.hosts.get(endpoint.key)?.idle;
    while (idle !== undefined && idle.length > 0) {
      const connection = idle.pop();
      if (connection !== undefined && connection.failure === null) return connection;
    }
    return null;
  }

  /**
   * Waits for a free slot for a limited time. Resolves with an open connection, or with null: then the caller owns a
   * slot and must call `open` with it. @throws HostBusy, CourierClosing
   */
  slot(endpoint: MxEndpoint): Promise<SmtpConnection | null> {
    if (this.closing) return Promise.reject(new CourierClosing());
    const host = this.host(endpoint.key);
    // The limit that an operator sets for a provider applies to each of its hosts.
    if (host.slots < Math.max(this.settings.connectionsPerHost, endpoint.connections ?? 0)) {
      host.slots += 1;
      return Promise.resolve(null);
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        host.waiters = host.waiters.filter((other) => other !== waiter);
        reject(new HostBusy(endpoint.host));
      }, this.settings.freeConnectionMs);
      const waiter: Waiter = {
        grant: (connection) => {
          clearTimeout(timer);
          resolve(connection);
        },
        refuse: (reason) => {
          clearTimeout(timer);
          reject(reason);
        },
      };
      host.waiters.push(waiter);
    });
  }

  /**
   * Opens a connection in a slot that the caller owns. The connection keeps the slot; if this rejects (`SmtpFailure`),
   * the slot is free again. Adds the TLS result of the session to the attempt.
   */
  async open(endpoint: MxEndpoint, attempt: PoolAttempt): Promise<SmtpConnection> {
    const host = this.host(endpoint.key);
    try {
      const connection = await this.connect(endpoint, attempt);
      this.register(connection, host);
      return connection;
    } catch (error) {
      if (error instanceof SmtpFailure) this.recordFailure(endpoint, error);
      this.freeSlot(host);
      throw error;
    }
  }

  /** Replaces a connection that failed during use, in the same slot, without waiting again. */
  async reopen(dead: SmtpConnection, endpoint: MxEndpoint, attempt: PoolAttempt): Promise<SmtpConnection> {
    const host = this.host(endpoint.key);
    if (this.closing) throw new CourierClosing();
    // If the slot was already given away, there is one connection more for a short time.
    this.providers.remove(dead);
    if (this.owned.delete(dead)) dead.onClose = () => undefined;
    else host.slots += 1;
    return this.open(endpoint, attempt);
  }

  /** Returns a connection between two transactions. A failed one is discarded. */
  release(connection: SmtpConnection): void {
    if (connection.failure !== null) return;
    if (this.closing || connection.transactions >= (connection.endpoint.mailsPerConnection ?? MAILS_PER_CONNECTION)) {
      connection.quit();
      return;
    }
    const host = this.owned.get(connection);
    if (host === undefined) return;
    const waiter = host.waiters.shift();
    if (waiter === undefined) this.keepIdle(connection, host);
    else waiter.grant(connection);
  }

  /** The host recently did not answer or refused us, so its alternatives are tried first. */
  isUnreachable(endpoint: MxEndpoint): boolean {
    return this.unreachable.has(endpoint.key);
  }

  /** TLS recently failed here, and plain text is allowed. */
  isTlsBroken(endpoint: MxEndpoint): boolean {
    return allowsPlaintext(endpoint) && this.brokenTls.has(addressKey(endpoint));
  }

  /** Rejects waiting callers and closes idle connections. Connections in use are not affected. */
  drain(): void {
    this.closing = true;
    for (const host of this.hosts.values()) {
      for (const waiter of host.waiters.splice(0)) waiter.refuse(new CourierClosing());
      for (const connection of host.idle.splice(0)) connection.quit();
    }
  }

  /** Resolves when the last socket is closed. */
  emptied(): Promise<void> {
    if (this.owned.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.waitingForEmpty.push(resolve));
  }

  /** Closes all connections at once. */
  destroy(): void {
    for (const connection of this.owned.keys()) connection.abort('the courier is closing');
  }

  private recordFailure(endpoint: MxEndpoint, failure: SmtpFailure): void {
    if (cannotReach(failure)) this.unreachable.set(endpoint.key, true, UNREACHABLE_MS);
    if (failure.answered || failure.phase !== 'tls' || !allowsPlaintext(endpoint)) return;
    this.settings.log({ event: 'smtp.tls_broken', mx: endpoint.host, ip: endpoint.address, text: failure.reply.text });
    this.brokenTls.set(addressKey(endpoint), true, NO_TLS_MS);
  }

  private async connect(endpoint: MxEndpoint, { deadlineAt, tlsResults }: PoolAttempt): Promise<SmtpConnection> {
    this.closeIdleOfProvider(endpoint);
    const connection = new SmtpConnection(endpoint);
    connection.deadlineAt = deadlineAt;
    this.owned.set(connection, this.host(endpoint.key));
    this.providers.add(connection);
    connection.onClose = () => this.remove(connection);
    try {
      await shakeHands(connection, this.settings);
      addResult(tlsResults, sessionResult(connection, null));
    } catch (error) {
      if (error instanceof SmtpFailure) addResult(tlsResults, sessionResult(connection, error));
      throw error;
    }
    return connection;
  }

  private closeIdleOfProvider(endpoint: MxEndpoint): void {
    const idleOf = (connection: SmtpConnection) => this.owned.get(connection)?.idle ?? [];
    for (const connection of this.providers.toClose(endpoint, (one) => idleOf(one).includes(one))) {
      const idle = idleOf(connection);
      idle.splice(idle.indexOf(connection), 1);
      connection.quit();
    }
  }

  /** From now on the end of the connection frees the slot. */
  private register(connection: SmtpConnection, host: Host): void {
    this.unreachable.delete(host.key);
    connection.onClose = () => {
      if (this.remove(connection)) this.freeSlot(host);
    };
    // The connection was closed in the same event-loop turn in which it became ready.
    if (!this.owned.has(connection)) this.freeSlot(host);
  }

  private keepIdle(connection: SmtpConnection, host: Host): void {
    const leave = (): void => {
      host.idle = host.idle.filter((other) => other !== connection);
    };
    connection.onReply = () => connection.abort('the peer spoke without being asked');
    connection.onFailure = leave;
    connection.idle(IDLE_MS, () => {
      leave();
      connection.quit();
    });
    host.idle.push(connection);
  }

  private remove(connection: SmtpConnection): boolean {
    const known = this.owned.delete(connection);
    this.providers.remove(connection);
    if (this.owned.size === 0) for (const resolve of this.waitingForEmpty.splice(0)) resolve();
    return known;
  }

  private freeSlot(host: Host): void {
    const waiter = host.waiters.shift();
    if (waiter !== undefined) {
      waiter.grant(null);
      return;
    }
    host.slots -= 1;
    if (host.slots === 0) this.hosts.delete(host.key);
  }

  private host(key: string): Host {
    let host = this.hosts.get(key);
    if (host === undefined) {
      host = { key, slots: 0, idle: [], waiters: [] };
      this.hosts.set(key, host);
    }
    return host;
  }
}

/** Independent of TLS names and source addresses: a broken TLS implementation is broken for all of them. */
function addressKey({ address, port }: MxEndpoint): string {
  return `${address} ${port}`;
}

function cannotReach({ phase, timedOut, answered }: SmtpFailure): boolean {
  return phase === 'connect' || (phase === 'greeting' && (timedOut || answered)) || (phase === 'ehlo' && answered);
}

function addResult(results: TlsResult[], result: TlsResult | null): void {
  if (result !== null) results.push(result);
}
