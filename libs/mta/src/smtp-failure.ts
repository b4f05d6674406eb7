import type { DeliveryPhase, ServerReply } from './delivery-outcome.js';

export interface FailureDetails {
  phase: DeliveryPhase;
  reply: ServerReply;
  /** The peer said something (4xx, 5xx, 421, garbage); false: the line broke, a limit passed, or we gave up. */
  answered?: boolean;
  /** A limit of ours passed; at most two addresses are waited for in one attempt. */
  timedOut?: boolean;
}

/** A dialogue that ended before its mail was settled. */
export class SmtpFailure extends Error {
  readonly phase: DeliveryPhase;
  readonly reply: ServerReply;
  readonly answered: boolean;
  readonly timedOut: boolean;

  constructor(details: FailureDetails) {
    super(`${details.phase}: ${details.reply.text}`);
    this.name = 'SmtpFailure';
    this.phase = details.phase;
    this.reply = details.reply;
    this.answered = details.answered ?? false;
    this.timedOut = details.timedOut ?? false;
  }
}

/** The courier is closing, or the wait for a free connection took too long: not the peer's doing. */
export class CourierClosing extends Error {
  constructor() {
    super('the courier is closing');
    this.name = 'CourierClosing';
  }
}
