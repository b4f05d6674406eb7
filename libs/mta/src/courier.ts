import type { Outcome } from './delivery-outcome.js';
import type { MailboxProviders } from './shaping/mailbox-provider.js';
import type { SourceAddress } from './source-address.js';

export type { SourceAddress } from './source-address.js';
import type { DaneState } from './tls-policy/dane-switch.js';
import type { StsOptions } from './tls-policy/sts-policies.js';
import type { TlsResult } from './tls-policy/tls-result.js';

export interface CourierRecipient {
  /** The caller's handle; comes back in the outcome. */
  key: string;
  address: string;
}

/** One buffer, or the pieces of one text in order: joining them would copy a large mail once more. */
export type Octets = Buffer | readonly Buffer[];

export interface CourierJob {
  /** `em_…`, for logs only. */
  id: string;
  /** Envelope sender, '' for the null sender. */
  mailFrom: string;
  /** All of one recipient domain. */
  recipients: CourierRecipient[];
  /** The final bytes: signed, CRLF, not dot-stuffed. Asked at most once, when a connection is at hand. */
  content(): Promise<Octets>;
  /**
   * The same mail in seven-bit octets, signed anew; null where it cannot be converted. Asked at most once, and only when
   * it has others and a server takes no others (RFC 6152 §3).
   */
  sevenBit(): Promise<Octets | null>;
  /** Asked right before each MAIL FROM; false gives the outcome `abandoned`. A promise holds the dialogue up there. */
  mayStart(): boolean | Promise<boolean>;
  /**
   * What the sender asks of the connection: `enforced` never goes out without a verified certificate; `unconditional`
   * goes out whatever the receiver's policy asks, for reports about TLS itself (RFC 8460 §3).
   */
  tls: 'opportunistic' | 'enforced' | 'unconditional';
  /** Which of our addresses speaks, and under which name; null: the system's choice. */
  source: SourceAddress | null;
}

/** Where mail of a recipient domain queues up. */
export interface Destination {
  /** `google`, or `domain:example.org` for whoever is none of the known providers; `smarthost`, `capture`. */
  queue: string;
  /** Name of the mailbox provider, by the suffix of its MX. */
  provider: string | null;
}

export interface CourierTimeouts {
  connect: number;
  greeting: number;
  ehlo: number;
  mail: number;
  rcpt: number;
  data: number;
  dot: number;
  /** One whole attempt: DNS, all hosts, all commands. Waiting for a free connection is not counted. */
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
  /** Needed in mode `capture`. */
  capture?: (mail: CapturedMail) => Promise<void>;
  /** Needed in mode `smarthost`: `smtp://` or `smtps://`, `user:password@host:port`. */
  smarthostUrl?: string;
  mxPort: number;
  /** `ip` or `ip:port` (`[v6]:port`); empty: the system's. */
  dnsServers: string[];
  allowPrivateMx: boolean;
  /** Connections to one (address, port), in use and kept open together; a provider may have more of its own. */
  connectionsPerHost: number;
  /**
   * Milliseconds that a mail waits for one of them while all are in use, before it looks at the next host; where no host
   * was tried it is `abandoned` then. 1,000 unless told.
   */
  freeConnectionMs?: number;
  heloName: string;
  /** Milliseconds. */
  timeouts: CourierTimeouts;
  /** Our own listeners; an MX that leads to one of them is a loop. */
  ownAddresses: { address: string; port: number }[];
  log?: (event: object) => void;
  /** Who is recognised as a mailbox provider; absent: the shipped ones. */
  providers?: MailboxProviders;
  /** Mode `mx`: where MTA-STS policies are kept, and how they are fetched; absent: they are not looked for. */
  sts?: StsOptions;
  /** Mode `mx`: whether TLSA records are looked for where they can be believed; absent: `off`. */
  dane?: { mode: 'auto' | 'off'; onState: (state: DaneState) => void };
  /** Told once when none of our name servers answers any more (a sentence), and once when one does again (null). */
  onOutage?: (text: string | null) => void;
  /** Told how the TLS of each session with an MX ended; must not throw and must not block. */
  onTls?: (result: TlsResult) => void;
}

/** Hands one mail to the world and answers with one outcome per recipient. */
export abstract class Courier {
  /** Never throws; resolves with exactly one outcome per recipient, in the order of the job. */
  abstract deliver(job: CourierJob): Promise<Outcome[]>;

  /**
   * Never rejects: a domain whose MX cannot be found now is a queue of its own. Null: none of our name servers answers.
   * Cached like the MX answer.
   */
  abstract destination(domain: string): Promise<Destination | null>;

  /** A sentence, while none of our name servers answers; what needs them is `abandoned` at once. Else null. */
  abstract readonly outage: string | null;

  /** Takes no more mail, lets running dialogues finish for `deadlineMs`, then cuts them. */
  abstract close(deadlineMs: number): Promise<void>;
}
