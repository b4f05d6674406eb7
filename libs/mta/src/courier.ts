import type { Outcome } from './delivery-outcome.js';
import type { MailboxProviders } from './routing/mailbox-providers.js';
import type { SourceAddress } from './routing/mx-endpoint.js';
import type { Destination, Route } from './routing/route.js';
import type { DaneState } from './tls/dane-availability.js';
import type { StsOptions } from './tls/sts-lookup.js';
import type { TlsResult } from './tls/tls-result.js';

export interface EnvelopeRecipient {
  /** The caller's id of the recipient; returned in the outcome. */
  key: string;
  address: string;
}

/** One buffer, or the pieces of one message in order: joining them would copy a large message once more. */
export type Octets = Buffer | readonly Buffer[];

/** The envelope of one delivery, and what the sender requires of the connection. */
export interface Envelope {
  /** Envelope sender, '' for the null sender. */
  mailFrom: string;
  /** All in one recipient domain. */
  recipients: EnvelopeRecipient[];
  /**
   * `enforced`: only over TLS with a verified certificate. `unconditional`: whatever the policy of the receiver requires,
   * for reports about TLS itself (RFC 8460 §3).
   */
  tls: 'opportunistic' | 'enforced' | 'unconditional';
  /** The source address and its name; null: chosen by the system. */
  source: SourceAddress | null;
}

/** The message of one delivery, produced on demand. */
export interface OutgoingMessage {
  /** `em_…`, for logs only. */
  id: string;
  /** Called right before each MAIL; false gives the outcome `abandoned`. The session waits for a promise. */
  permit(): boolean | Promise<boolean>;
  /** The final bytes: signed, CRLF, not dot-stuffed. Called at most once, with an open connection. */
  content(): Promise<Octets>;
  /**
   * The same message in 7-bit octets, signed again; null where it cannot be converted. Called at most once, and only for a
   * message with 8-bit content and a server that does not accept it (RFC 6152 §3).
   */
  sevenBit(): Promise<Octets | null>;
}

/** The result of one attempt. */
export interface Delivery {
  /** Exactly one per recipient, in the order of the envelope. */
  outcomes: Outcome[];
  /** Results of the TLS sessions opened during the attempt, for reports (RFC 8460). */
  tlsResults: TlsResult[];
}

export interface CourierTimeouts {
  connect: number;
  greeting: number;
  ehlo: number;
  mail: number;
  rcpt: number;
  data: number;
  dot: number;
  /** One whole attempt: DNS, all hosts, all commands. Waiting for a free connection does not count. */
  total: number;
}

export interface CapturedMail {
  id: string;
  mailFrom: string;
  recipients: string[];
  content: Buffer;
}

export interface CourierOptions {
  mode: 'capture' | 'mx' | 'smarthost';
  /** Required in mode `capture`. */
  capture?: (mail: CapturedMail) => Promise<void>;
  /** Required in mode `smarthost`: `smtp://` or `smtps://`, `user:password@host:port`. */
  smarthostUrl?: string;
  mxPort: number;
  /** `ip` or `ip:port` (`[v6]:port`); empty: the servers of the system. */
  dnsServers: string[];
  allowPrivateMx: boolean;
  /** Maximum of connections per address and port, in use and idle. A provider may have a limit of its own. */
  connectionsPerHost: number;
  /**
   * How long a message waits for a free connection before it continues at the next host, in milliseconds; if no host
   * was tried, it is `abandoned`. Default: 1,000.
   */
  freeConnectionMs?: number;
  heloName: string;
  /** Milliseconds. */
  timeouts: CourierTimeouts;
  /** Our own listeners. An MX with one of these addresses is a loop. */
  ownAddresses: { address: string; port: number }[];
  log?: (event: object) => void;
  /** The known mailbox providers; absent: the shipped ones. */
  providers?: MailboxProviders;
  /** Mode `mx`: storage and fetching of MTA-STS policies; absent: they are not looked up. */
  sts?: StsOptions;
  /** Mode `mx`: `auto` looks up TLSA records if the resolver can be trusted; absent: `off`. */
  dane?: { mode: 'auto' | 'off'; onState: (state: DaneState) => void };
  /** Called with a sentence when no name server answers any more, and with null when one does again. */
  onOutage?: (text: string | null) => void;
}

/** Delivers messages. */
export abstract class Courier {
  /** The route for messages to this domain. Called once per attempt; never rejects. */
  abstract resolve(domain: string): Promise<Route>;

  /** Delivers one message over a route; never rejects. */
  abstract deliver(route: Route, envelope: Envelope, message: OutgoingMessage): Promise<Delivery>;

  /**
   * The queue of a recipient domain. Never rejects: a domain whose MX cannot be looked up now is a queue of its own.
   * Null: no name server answers. Cached like the MX answer.
   */
  abstract destination(domain: string): Promise<Destination | null>;

  /**
   * A sentence while no name server answers, otherwise null. Meanwhile attempts that need DNS are `abandoned` at once.
   */
  abstract readonly outage: string | null;

  /** Accepts no more messages, lets running sessions finish for `deadlineMs` milliseconds, then closes them. */
  abstract close(deadlineMs: number): Promise<void>;
}
