import type { Outcome } from './delivery-outcome.js';

export interface CourierRecipient {
  /** The caller's handle; comes back in the outcome. */
  key: string;
  address: string;
}

export interface CourierJob {
  /** `em_…`, for logs only. */
  id: string;
  /** Envelope sender, '' for the null sender. */
  mailFrom: string;
  /** All of one recipient domain. */
  recipients: CourierRecipient[];
  /** The final bytes: signed, CRLF, not dot-stuffed. Asked at most once, when a connection is at hand. */
  content(): Promise<Buffer>;
  /** Asked right before each MAIL FROM; false gives the outcome `abandoned`. */
  mayStart(): boolean;
}

export interface CourierTimeouts {
  connect: number;
  greeting: number;
  ehlo: number;
  mail: number;
  rcpt: number;
  data: number;
  dot: number;
  /** One whole attempt: DNS, all hosts, all commands. Waiting for a free connection is not counted, but ends after as long. */
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
  /** Connections to one (address, port), in use and kept open together. */
  connectionsPerHost: number;
  heloName: string;
  /** Milliseconds. */
  timeouts: CourierTimeouts;
  /** Our own listeners; an MX that leads to one of them is a loop. */
  ownAddresses: { address: string; port: number }[];
  log?: (event: object) => void;
}

/** Hands one mail to the world and answers with one outcome per recipient. */
export abstract class Courier {
  /** Never throws; resolves with exactly one outcome per recipient, in the order of the job. */
  abstract deliver(job: CourierJob): Promise<Outcome[]>;

  /** Takes no more mail, lets running dialogues finish for `deadlineMs`, then cuts them. */
  abstract close(deadlineMs: number): Promise<void>;
}
