/** Why a message was refused: the values of `bounce_class`. */
export const BOUNCE_CLASSES = [
  'invalid_recipient',
  'bad_domain',
  'inactive_mailbox',
  'quota',
  'too_large',
  'authentication',
  'policy',
  'content',
  'routing',
  'expired',
  'transport_policy',
  'deferral',
  'undetermined',
] as const;
export type BounceClass = (typeof BOUNCE_CLASSES)[number];

/** `hard`: the address itself does not work. `soft`: any other known reason. `undetermined`: an unknown reply. */
export type BounceType = 'hard' | 'soft' | 'undetermined';

/** The step of the attempt that decided the outcome. */
export type DeliveryPhase =
  | 'dns'
  | 'connect'
  | 'greeting'
  | 'ehlo'
  | 'tls'
  | 'auth'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'dot'
  | 'capture';

/**
 * The TLS policy of a connection. `opportunistic`: TLS if it works. `enforced`: the sender's domain requires a verified
 * certificate. `sts`, `sts_testing`: RFC 8461. `dane`: RFC 7672.
 */
export type TlsPolicyName = 'opportunistic' | 'enforced' | 'sts' | 'sts_testing' | 'dane';

/** The host that decided the outcome, and the connection to it. */
export interface Remote {
  mx: string | null;
  ip: string | null;
  /** Protocol version, such as `TLSv1.3`; null in plain text. */
  tls: string | null;
  /** Cipher suite by its IANA name, such as `TLS_AES_256_GCM_SHA384`; null in plain text. */
  cipher: string | null;
  /** Whether the certificate was verified as the policy requires; null in plain text. */
  verified: boolean | null;
  /** Null if no host was found. */
  policy: TlsPolicyName | null;
  /** Our source address. */
  source: string | null;
  /** The mailbox provider of the host; null if it is none of the known ones. */
  provider: string | null;
}

/**
 * The reply behind an outcome. `code` is null if no server replied and the text is ours. `text` has neither code nor
 * enhanced code; lines are joined by one space.
 */
export interface ServerReply {
  code: number | null;
  enhanced: string | null;
  text: string;
}

/**
 * `answered`: the server refused for now. `not_sent`: the final dot was not sent. `unknown_outcome`: the final dot was
 * sent and no reply came, so the message may arrive twice.
 */
export type Certainty = 'not_sent' | 'unknown_outcome' | 'answered';

interface Settled {
  key: string;
  startedAt: Date;
  endedAt: Date;
}

/** A host that the same attempt tried before, and the reply or error that ended the try. */
export interface EarlierHost {
  remote: Remote;
  phase: DeliveryPhase;
  reply: ServerReply;
}

interface Attempted extends Settled {
  /**
   * In order. Absent if the first host decided. A host that was tried with TLS and in plain text is in the list twice.
   */
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
  /** The wait that the server requested ("try again in 5 minutes"), in milliseconds, at most 24 hours. */
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
 * Nothing was attempted: the claim was lost, no name server answers, a host had no free connection, or the courier is
 * closing. It does not count as an attempt.
 */
export interface Abandoned extends Settled {
  kind: 'abandoned';
  /** The mail server of which all permitted connections were in use. */
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
