import { HostMemory } from './host-memory.js';
import { ProviderConnections } from './provider-connections.js';
import { SmtpConnection } from './smtp-connection.js';
import { CourierClosing, HostBusy, SmtpFailure } from './smtp-failure.js';
import { shakeHands } from './smtp-handshake.js';
import type { HandshakeSettings } from './smtp-handshake.js';
import { mayGoInTheClear } from './target.js';
import type { Target } from './target.js';
import { tlsResult } from './tls-policy/tls-result-of.js';
import type { TlsResult } from './tls-policy/tls-result.js';

export interface PoolSettings extends HandshakeSettings {
  connectionsPerHost: number;
  /** Milliseconds. */
  freeConnectionMs: number;
  log: (event: object) => void;
  onTls: (result: TlsResult) => void;
}

/** Many servers close or slow down after some hundred mails; begin anew before. */
const MAILS_PER_CONNECTION = 100;
const IDLE_MS = 30_000;
/** How long a host whose TLS handshake fails is not tried with TLS again. */
const NO_TLS_MS = 600_000;
/** How long a host that could not be reached, or that turned us away, stands behind its alternatives. */
const UNREACHABLE_MS = 30_000;

interface Waiter {
  /** An open connection, or null: the right to open one. */
  grant: (connection: SmtpConnection | null) => void;
  refuse: (reason: Error) => void;
}

interface Host {
  key: string;
  /** Connections that exist or are being made; each holds one slot until its socket is closed. */
  slots: number;
  idle: SmtpConnection[];
  waiters: Waiter[];
}

/**
 * Keeps connections open per target. Invariants: `slots` never exceeds what the host may have; nobody waits while a
 * connection is idle; waiters are served first come, first served.
 */
export class ConnectionPool {
  readonly #hosts = new Map<string, Host>();
  readonly #owned = new Map<SmtpConnection, Host>();
  readonly #providers = new ProviderConnections();
  readonly #brokenTls = new HostMemory(NO_TLS_MS);
  readonly #unreachable = new HostMemory(UNREACHABLE_MS);
  readonly #emptied: (() => void)[] = [];
  #closing = false;

  constructor(private readonly settings: PoolSettings) {}

  /** An idle connection at once, or null. */
  take(target: Target): SmtpConnection | null {
    const idle = this.#hosts.get(target.key)?.idle;
    while (idle !== undefined && idle.length > 0) {
      const connection = idle.pop();
      if (connection !== undefined && connection.failure === null) return connection;
    }
    return null;
  }

  /**
   * Waits for a free slot, for a moment. Resolves with an open connection that was handed over, or null: the caller owns
   * a slot now and must call `open` with it. @throws HostBusy, CourierClosing.
   */
  slot(target: Target): Promise<SmtpConnection | null> {
    if (this.#closing) return Promise.reject(new CourierClosing());
    const host = this.#host(target.key);
    // What an operator allows a provider is meant for any of its hosts.
    if (host.slots < Math.max(this.settings.connectionsPerHost, target.connections ?? 0)) {
      host.slots += 1;
      return Promise.resolve(null);
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        host.waiters = host.waiters.filter((other) => other !== waiter);
        reject(new HostBusy(target.host));
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
   * Opens a connection in a slot that the caller owns; the slot goes with the connection, and is free again when this
   * rejects (`SmtpFailure`).
   */
  async open(target: Target, deadlineAt: number): Promise<SmtpConnection> {
    const host = this.#host(target.key);
    try {
      const connection = await this.#dial(target, deadlineAt);
      this.#adopt(connection, host);
      return connection;
    } catch (error) {
      if (error instanceof SmtpFailure) this.#remember(target, error);
      this.#freeSlot(host);
      throw error;
    }
  }

  /** A fresh connection in the slot of one that died under its user's hands, without queueing again. */
  async reopen(dead: SmtpConnection, target: Target, deadlineAt: number): Promise<SmtpConnection> {
    const host = this.#host(target.key);
    if (this.#closing) throw new CourierClosing();
    // If its slot went to somebody else already, there is one connection more for a moment.
    this.#providers.remove(dead);
    if (this.#owned.delete(dead)) dead.onGone = () => undefined;
    else host.slots += 1;
    return this.open(target, deadlineAt);
  }

  /** Takes a connection back that is between two transactions; a failed one is forgotten. */
  giveBack(connection: SmtpConnection): void {
    if (connection.failure !== null) return;
    if (this.#closing || connection.mails >= (connection.target.mailsPerConnection ?? MAILS_PER_CONNECTION)) {
      connection.quit();
      return;
    }
    const host = this.#owned.get(connection);
    if (host === undefined) return;
    const waiter = host.waiters.shift();
    if (waiter === undefined) this.#rest(connection, host);
    else waiter.grant(connection);
  }

  /** The host did not answer lately, or turned us away: its alternatives go first. */
  isUnreachable(target: Target): boolean {
    return this.#unreachable.holds(target.key);
  }

  /** TLS broke here lately, and the mail may go in the clear. */
  isTlsBroken(target: Target): boolean {
    return mayGoInTheClear(target) && this.#brokenTls.holds(placeOf(target));
  }

  /** Refuses the waiting and says goodbye on idle connections; those in use are left alone. */
  drain(): void {
    this.#closing = true;
    for (const host of this.#hosts.values()) {
      for (const waiter of host.waiters.splice(0)) waiter.refuse(new CourierClosing());
      for (const connection of host.idle.splice(0)) connection.quit();
    }
  }

  /** Resolves when the last socket is closed. */
  emptied(): Promise<void> {
    if (this.#owned.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#emptied.push(resolve));
  }

  /** Cuts everything that is still open. */
  destroy(): void {
    for (const connection of this.#owned.keys()) connection.abort('the courier is closing');
  }

  #remember(target: Target, failure: SmtpFailure): void {
    if (cannotReach(failure)) this.#unreachable.note(target.key);
    if (failure.answered || failure.phase !== 'tls' || !mayGoInTheClear(target)) return;
    this.settings.log({ event: 'smtp.tls_broken', mx: target.host, ip: target.address, text: failure.reply.text });
    this.#brokenTls.note(placeOf(target));
  }

  #report(connection: SmtpConnection, failure: SmtpFailure | null): void {
    const result = tlsResult(connection, failure);
    if (result !== null) this.settings.onTls(result);
  }

  async #dial(target: Target, deadlineAt: number): Promise<SmtpConnection> {
    this.#makeRoom(target);
    const connection = new SmtpConnection(target);
    connection.deadlineAt = deadlineAt;
    this.#owned.set(connection, this.#host(target.key));
    this.#providers.add(connection);
    connection.onGone = () => this.#forget(connection);
    try {
      await shakeHands(connection, this.settings);
      this.#report(connection, null);
    } catch (error) {
      if (error instanceof SmtpFailure) this.#report(connection, error);
      throw error;
    }
    return connection;
  }

  #makeRoom(target: Target): void {
    const idleOf = (connection: SmtpConnection) => this.#owned.get(connection)?.idle ?? [];
    for (const connection of this.#providers.inTheWay(target, (one) => idleOf(one).includes(one))) {
      const idle = idleOf(connection);
      idle.splice(idle.indexOf(connection), 1);
      connection.quit();
    }
  }

  /** From here on the end of the connection frees the slot. */
  #adopt(connection: SmtpConnection, host: Host): void {
    this.#unreachable.forget(host.key);
    connection.onGone = () => {
      if (this.#forget(connection)) this.#freeSlot(host);
    };
    // Closed in the same turn in which it was ready.
    if (!this.#owned.has(connection)) this.#freeSlot(host);
  }

  #rest(connection: SmtpConnection, host: Host): void {
    const leave = (): void => {
      host.idle = host.idle.filter((other) => other !== connection);
    };
    connection.onReply = () => connection.abort('the peer spoke without being asked');
    connection.onFailure = leave;
    connection.rest(IDLE_MS, () => {
      leave();
      connection.quit();
    });
    host.idle.push(connection);
  }

  #forget(connection: SmtpConnection): boolean {
    const known = this.#owned.delete(connection);
    this.#providers.remove(connection);
    if (this.#owned.size === 0) for (const tell of this.#emptied.splice(0)) tell();
    return known;
  }

  #freeSlot(host: Host): void {
    const waiter = host.waiters.shift();
    if (waiter !== undefined) {
      waiter.grant(null);
      return;
    }
    host.slots -= 1;
    if (host.slots === 0) this.#hosts.delete(host.key);
  }

  #host(key: string): Host {
    let host = this.#hosts.get(key);
    if (host === undefined) {
      host = { key, slots: 0, idle: [], waiters: [] };
      this.#hosts.set(key, host);
    }
    return host;
  }
}

/** Whoever speaks: what is broken there is broken for every name and source. */
function placeOf({ address, port }: Target): string {
  return `${address} ${port}`;
}

function cannotReach({ phase, timedOut, answered }: SmtpFailure): boolean {
  return phase === 'connect' || (phase === 'greeting' && (timedOut || answered)) || (phase === 'ehlo' && answered);
}
