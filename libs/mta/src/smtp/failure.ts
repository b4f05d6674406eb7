import type { BounceClass, DeliveryPhase, Remote, ServerReply } from '../delivery-outcome.js';
import type { TlsResultType } from '../tls/tls-result.js';

/** The TLS properties of a connection, for the outcome. */
export type TlsFacts = Pick<Remote, 'tls' | 'cipher' | 'verified'>;

export interface FailureDetails {
  phase: DeliveryPhase;
  reply: ServerReply;
  /**
   * The server sent something (4xx, 5xx, 421, malformed). False: the connection was lost, a time limit passed, or we
   * gave up.
   */
  answered?: boolean;
  /** One of our time limits passed. One attempt accepts this at two addresses at most. */
  timedOut?: boolean;
  /** Set if the class does not follow from the reply: the connection did not meet the policy. */
  class?: BounceClass;
  /** The TLS error, for the report. */
  tlsFault?: TlsResultType;
  /** The TLS properties, if TLS was established but did not suffice. */
  line?: TlsFacts;
}

/** A dialogue that ended before the recipients had an outcome. */
export class SmtpFailure extends Error {
  readonly phase: DeliveryPhase;
  readonly reply: ServerReply;
  readonly answered: boolean;
  readonly timedOut: boolean;
  readonly class: BounceClass | null;
  readonly tlsFault: TlsResultType | null;
  readonly line: TlsFacts | null;
  /** Our own address, once TCP was connected. */
  source: string | null = null;

  constructor(details: FailureDetails) {
    super(`${details.phase}: ${details.reply.text}`);
    this.name = 'SmtpFailure';
    this.phase = details.phase;
    this.reply = details.reply;
    this.answered = details.answered ?? false;
    this.timedOut = details.timedOut ?? false;
    this.class = details.class ?? null;
    this.tlsFault = details.tlsFault ?? null;
    this.line = details.line ?? null;
  }
}

/**
 * All connections that are allowed to one host are in use, and none became free in time. Nothing was attempted there.
 */
export class HostBusy extends Error {
  /** @param host The name of the host. */
  constructor(readonly host: string) {
    super(`all connections to ${host} are in use`);
    this.name = 'HostBusy';
  }
}

/** The courier is closing, so the server is not at fault. */
export class CourierClosing extends Error {
  constructor() {
    super('the courier is closing');
    this.name = 'CourierClosing';
  }
}
