import type { Reply } from './replies.js';

/**
 * Times in milliseconds. The deadlines for a login, a line, a message and silence do not pass while the client waits for
 * the server.
 */
export interface Deadlines {
  /** From the accepted connection to a login; unset where there are no logins. */
  login?: number;
  /** For a TLS handshake, from the accepted connection or from STARTTLS on. */
  handshake: number;
  /** From the first octet of a command line to its end. */
  line: number;
  /** A message that stays below `dataRate` for this long ends the connection. */
  dataWindow: number;
  /** Octets per second. */
  dataRate: number;
  /** From the accepted connection to its end. */
  total?: number;
  /** With replies that the client does not read. */
  unread: number;
  /** Without an octet in either direction. */
  silence: number;
  /** From the moment a message exceeds the size limit to its end; its rest is read and dropped. */
  oversize: number;
}

/** The state of a connection at one moment. */
export interface ConnectionState {
  loggedIn: boolean;
  inTlsHandshake: boolean;
  /** The client waits for the server: a command or message is being processed, or a message waits for memory. */
  awaitingServer: boolean;
  /** Number of commands so far. */
  commands: number;
  /** Octets of a command line without its end have arrived. */
  partialLine: boolean;
  /** Octets so far of the message that is being received, else null. */
  messageOctets: number | null;
  oversized: boolean;
  unreadReplies: boolean;
  /** Octets so far, in both directions. */
  octets: number;
}

const timeout = (text: string): Reply => [421, `4.4.2 ${text}`];

/**
 * The absolute deadlines of one connection. Against slow clients a timeout of silence is not enough, because every octet
 * prolongs it: one octet every few seconds would hold a connection for ever. Octets prolong no other deadline here.
 */
export class DeadlineTracker {
  private commands = -1;
  private lineSince: number | null = null;
  private handshakeSince: number | null = null;
  private unreadSince: number | null = null;
  private oversizeSince: number | null = null;
  private window: { since: number; octets: number } | null = null;
  private octets = 0;
  private silentSince: number;

  constructor(
    private readonly deadlines: Deadlines,
    private readonly openedAt: number,
  ) {
    this.silentSince = openedAt;
  }

  /** The reply that ends the connection when a deadline has passed at `now`, else null. To be called about once a second. */
  expired(now: number, state: ConnectionState): Reply | null {
    if (state.commands !== this.commands) {
      // The line or message that was timed has ended since the last call.
      this.commands = state.commands;
      this.lineSince = this.oversizeSince = this.window = null;
    }
    return (
      this.sessionExpired(now, state) ??
      this.repliesExpired(now, state) ??
      this.lineExpired(now, state) ??
      this.messageExpired(now, state) ??
      this.silenceExpired(now, state)
    );
  }

  private sessionExpired(now: number, state: ConnectionState): Reply | null {
    const { login, total, handshake } = this.deadlines;
    const age = now - this.openedAt;
    if (login !== undefined && !state.loggedIn && !state.awaitingServer && age >= login)
      return timeout('No login in time');
    if (total !== undefined && age >= total) return timeout('This connection is open for too long');
    this.handshakeSince = state.inTlsHandshake ? (this.handshakeSince ?? now) : null;
    return hasPassed(this.handshakeSince, handshake, now) ? timeout('No TLS in time') : null;
  }

  private repliesExpired(now: number, state: ConnectionState): Reply | null {
    this.unreadSince = state.unreadReplies ? (this.unreadSince ?? now) : null;
    return hasPassed(this.unreadSince, this.deadlines.unread, now) ? timeout('The replies are not read') : null;
  }

  private lineExpired(now: number, state: ConnectionState): Reply | null {
    if (!state.partialLine || state.awaitingServer) this.lineSince = null;
    else this.lineSince ??= now;
    return hasPassed(this.lineSince, this.deadlines.line, now) ? timeout('The command does not end') : null;
  }

  private messageExpired(now: number, state: ConnectionState): Reply | null {
    this.oversizeSince = state.oversized ? (this.oversizeSince ?? now) : null;
    if (hasPassed(this.oversizeSince, this.deadlines.oversize, now)) return [552, '5.3.4 The message is too large'];
    if (state.messageOctets === null || state.awaitingServer) {
      this.window = null;
      return null;
    }
    this.window ??= { since: now, octets: state.messageOctets };
    const { since, octets } = this.window;
    if (now - since < this.deadlines.dataWindow) return null;
    this.window = { since: now, octets: state.messageOctets };
    const required = ((now - since) / 1_000) * this.deadlines.dataRate;
    return state.messageOctets - octets < required ? timeout('The message comes too slowly') : null;
  }

  private silenceExpired(now: number, state: ConnectionState): Reply | null {
    if (state.awaitingServer || state.octets !== this.octets) this.silentSince = now;
    this.octets = state.octets;
    return hasPassed(this.silentSince, this.deadlines.silence, now) ? timeout('Timeout, closing the connection') : null;
  }
}

const hasPassed = (since: number | null, limit: number, now: number): boolean => since !== null && now - since >= limit;
