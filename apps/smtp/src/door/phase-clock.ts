/** How long a client may take, in milliseconds. What it does not wait for us for does not count. */
export interface Deadlines {
  /** From its first packet to a login; a door without logins has none. */
  login?: number;
  /** A TLS handshake, from its first packet or from STARTTLS. */
  handshake: number;
  /** From the first octet of a command line to its end. */
  line: number;
  /** Data that stay below `dataRate` for this long end the connection. */
  dataWindow: number;
  /** Octets per second. */
  dataRate: number;
  /** From the first packet, whatever happens. */
  total?: number;
  /** With replies that it does not read. */
  unread: number;
  /** Without an octet in either direction. */
  silence: number;
  /** Since a message that is too large passed the limit; what still comes is read and dropped. */
  oversize: number;
}

/** What can be seen of a connection at one moment. */
export interface Seen {
  loggedIn: boolean;
  upgrading: boolean;
  /** It waits for us: a command is being worked on, a message is being stored or is kept waiting for room. */
  ours: boolean;
  /** Commands so far. */
  commands: number;
  /** Octets of a command line without an end are there. */
  lineBegun: boolean;
  /** Octets so far of the message that is being sent, else null. */
  data: number | null;
  oversized: boolean;
  unread: boolean;
  /** Octets so far, in both directions. */
  octets: number;
}

/** Why a connection ends; `reply` is what it is told where it can be told something. */
export interface Late {
  code: number;
  reply: string;
}

const late = (reply: string): Late => ({ code: 421, reply: `4.4.2 ${reply}` });

/**
 * The absolute deadlines of one connection (promises S-20). A time-out of silence alone is prolonged by every octet: one
 * byte every few seconds holds a connection for ever. Nothing else here is prolonged by octets. Asked about once a second.
 */
export class PhaseClock {
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

  /** What is overdue at `now`, else null. */
  late(now: number, seen: Seen): Late | null {
    if (seen.commands !== this.commands) {
      // Another command has come in between: nothing of what was timed goes on.
      this.commands = seen.commands;
      this.lineSince = this.oversizeSince = this.window = null;
    }
    return (
      this.lateAtAll(now, seen) ??
      this.lateReader(now, seen) ??
      this.lateCommand(now, seen) ??
      this.lateData(now, seen) ??
      this.lateTalker(now, seen)
    );
  }

  private lateAtAll(now: number, seen: Seen): Late | null {
    const { login, total, handshake } = this.deadlines;
    const age = now - this.openedAt;
    if (login !== undefined && !seen.loggedIn && !seen.ours && age >= login) return late('No login in time');
    if (total !== undefined && age >= total) return late('This connection is open for too long');
    this.handshakeSince = seen.upgrading ? (this.handshakeSince ?? now) : null;
    return passed(this.handshakeSince, handshake, now) ? late('No TLS in time') : null;
  }

  private lateReader(now: number, seen: Seen): Late | null {
    this.unreadSince = seen.unread ? (this.unreadSince ?? now) : null;
    return passed(this.unreadSince, this.deadlines.unread, now) ? late('The replies are not read') : null;
  }

  private lateCommand(now: number, seen: Seen): Late | null {
    if (!seen.lineBegun || seen.ours) this.lineSince = null;
    else this.lineSince ??= now;
    return passed(this.lineSince, this.deadlines.line, now) ? late('The command does not end') : null;
  }

  private lateTalker(now: number, seen: Seen): Late | null {
    if (seen.ours || seen.octets !== this.octets) this.silentSince = now;
    this.octets = seen.octets;
    return passed(this.silentSince, this.deadlines.silence, now) ? late('Timeout, closing the connection') : null;
  }

  private lateData(now: number, seen: Seen): Late | null {
    this.oversizeSince = seen.oversized ? (this.oversizeSince ?? now) : null;
    if (passed(this.oversizeSince, this.deadlines.oversize, now))
      return { code: 552, reply: '5.3.4 The message is too large' };
    if (seen.data === null || seen.ours) {
      this.window = null;
      return null;
    }
    this.window ??= { since: now, octets: seen.data };
    const { since, octets } = this.window;
    if (now - since < this.deadlines.dataWindow) return null;
    this.window = { since: now, octets: seen.data };
    const enough = ((now - since) / 1_000) * this.deadlines.dataRate;
    return seen.data - octets < enough ? late('The message comes too slowly') : null;
  }
}

const passed = (since: number | null, limit: number, now: number): boolean => since !== null && now - since >= limit;
