import type { Socket } from 'node:net';

/** A conversation by hand: octets go out as they are, replies come in one at a time. */
export declare class SmtpTalk {
  /** What came and was not yet read. */
  pending: string;
  ended: boolean;
  /** Of the connection, and what is written to: the same without TLS. */
  readonly raw: Socket;
  readonly stream: Socket;
  /** Milliseconds that the connection existed, once it has ended. */
  readonly closed: Promise<number>;
  /** `from`: the loopback address to come from. `secure`: TLS at once. `limitMs`: how long a reply may take. */
  constructor(port: number, options?: { from?: string; secure?: boolean; limitMs?: number });
  static open(port: number, from?: string): SmtpTalk;
  /** Logged in on the port of implicit TLS, as whoever has the key. */
  static loggedIn(port: number, user: string, key: string): Promise<SmtpTalk>;
  logIn(user: string, key: string): Promise<string>;
  secure(): Promise<void>;
  /** Of the certificate that the other side has shown; empty in the clear. */
  get certificateName(): string;
  write(octets: Buffer | string): void;
  /** Sends a line; the whole reply as one text. */
  say(line: string): Promise<string>;
  /** The lines of one reply, without line ends. @throws when the connection ends before it */
  reply(): Promise<string[]>;
  /** Resolves once the other side has ended the connection. */
  end(): Promise<void>;
  /** The last line that came. */
  get last(): string;
  reset(): void;
  close(): void;
}
