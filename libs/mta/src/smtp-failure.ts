import type { BounceClass, DeliveryPhase, Remote, ServerReply } from './delivery-outcome.js';
import type { TlsResultType } from './tls-policy/tls-result.js';

/** What an outcome says of the line. */
export type LineFacts = Pick<Remote, 'tls' | 'cipher' | 'verified'>;

export interface FailureDetails {
  phase: DeliveryPhase;
  reply: ServerReply;
  /** The peer said something (4xx, 5xx, 421, garbage); false: the line broke, a limit passed, or we gave up. */
  answered?: boolean;
  /** A limit of ours passed; at most two addresses are waited for in one attempt. */
  timedOut?: boolean;
  /** Where it is not what the reply says: the line was not what a policy asks for. */
  class?: BounceClass;
  /** Why TLS is at fault, for the report. */
  tlsFault?: TlsResultType;
  /** How the line was secured, where it was and that did not do. */
  line?: LineFacts;
}

/** A dialogue that ended before its mail was settled. */
export class SmtpFailure extends Error {
  readonly phase: DeliveryPhase;
  readonly reply: ServerReply;
  readonly answered: boolean;
  readonly timedOut: boolean;
  readonly class: BounceClass | null;
  readonly tlsFault: TlsResultType | null;
  readonly line: LineFacts | null;
  /** Our own address on the line, once TCP stood. */
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

/** All connections that one host may have are in use, and none became free soon: nothing was begun there. */
export class HostBusy extends Error {
  /** `host`: its name. */
  constructor(readonly host: string) {
    super(`all connections to ${host} are in use`);
    this.name = 'HostBusy';
  }
}

/** The courier is closing: not the peer's doing. */
export class CourierClosing extends Error {
  constructor() {
    super('the courier is closing');
    this.name = 'CourierClosing';
  }
}
