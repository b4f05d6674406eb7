/** Why a mail was not taken; the closed list behind `bounce_class`. */
export type BounceClass =
  | 'invalid_recipient'
  | 'bad_domain'
  | 'inactive_mailbox'
  | 'quota'
  | 'too_large'
  | 'authentication'
  | 'policy'
  | 'content'
  | 'routing'
  | 'expired'
  | 'transport_policy'
  | 'deferral'
  | 'undetermined';

/** `hard`: the address itself is dead; `soft`: anything else we understand; `undetermined`: words we do not know. */
export type BounceType = 'hard' | 'soft' | 'undetermined';

/** The step of the attempt that decided the outcome. */
export type DeliveryPhase =
  'dns' | 'connect' | 'greeting' | 'ehlo' | 'tls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'dot' | 'capture';

/**
 * The rule under which a connection was made: `opportunistic`: whatever is there; `enforced`: the sender's domain wants a
 * verified certificate; `sts` and `sts_testing`: RFC 8461; `dane`: RFC 7672.
 */
export type TlsPolicyName = 'opportunistic' | 'enforced' | 'sts' | 'sts_testing' | 'dane';

/** The host that decided the outcome, and how it was spoken to. */
export interface Remote {
  mx: string | null;
  ip: string | null;
  /** Protocol, e.g. `TLSv1.3`; null in plain text. */
  tls: string | null;
  /** Cipher suite in the IANA spelling, e.g. `TLS_AES_256_GCM_SHA384`; null in plain text. */
  cipher: string | null;
  /** Whether the certificate proved the host as the policy asks; null in plain text. */
  verified: boolean | null;
  /** Null where nothing was asked of a connection: no host was found. */
  policy: TlsPolicyName | null;
  /** Our own address that spoke. */
  source: string | null;
  /** The mailbox provider that the host belongs to; null for none of the known ones. */
  provider: string | null;
}

/**
 * The words behind an outcome. `code` is null when no server spoke and the text is ours;
 * `text` has neither code nor enhanced code, lines are joined by one space.
 */
export interface ServerReply {
  code: number | null;
  enhanced: string | null;
  text: string;
}

/**
 * `answered`: the peer refused for now. `not_sent`: the final dot never left this machine.
 * `unknown_outcome`: the final dot left, no answer came; the mail may arrive twice.
 */
export type Certainty = 'not_sent' | 'unknown_outcome' | 'answered';

interface Settled {
  key: string;
  startedAt: Date;
  endedAt: Date;
}

/** A host that the same attempt stood at before, and what kept it from staying there. */
export interface EarlierHost {
  remote: Remote;
  phase: DeliveryPhase;
  reply: ServerReply;
}

interface Attempted extends Settled {
  /** In order; left out where the first host decided. A host comes twice if it was tried in the clear as well. */
  earlier?: readonly EarlierHost[];
}

export interface Delivered extends Attempted {
  kind: 'delivered';
  reply: ServerReply;
  remote: Remote;
}

export interface Deferred extends Attempted {
  kind: 'deferred';
  certainty: Certainty;
  phase: DeliveryPhase;
  reply: ServerReply;
  remote: Remote;
  class: BounceClass;
  /** Milliseconds that the peer asked us to wait ("try again in 5 minutes"), at most 24 hours. */
  retryAfterMs?: number;
}

export interface Bounced extends Attempted {
  kind: 'bounced';
  phase: DeliveryPhase;
  reply: ServerReply;
  remote: Remote;
  class: BounceClass;
  bounceType: BounceType;
}

/**
 * Nothing was attempted: the claim was lost, no name server answers, a host had no connection free, or the courier is
 * closing. Counts as no attempt.
 */
export interface Abandoned extends Settled {
  kind: 'abandoned';
  /** All connections that this mail server may have were in use. */
  busyHost?: string | null;
}

export type Outcome = Delivered | Deferred | Bounced | Abandoned;

export const NO_REMOTE: Remote = Object.freeze({
  mx: null,
  ip: null,
  tls: null,
  cipher: null,
  verified: null,
  policy: null,
  source: null,
  provider: null,
});
