import type { SecureVersion } from 'node:tls';
import type { Certificate } from '../fixtures/self-signed-certificate.js';

/** The moments of a dialogue at which a script may step in. `idle` follows the reply to the final dot. */
export type MxMoment =
  | 'banner'
  | 'ehlo'
  | 'helo'
  | 'starttls'
  | 'auth'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'content'
  | 'dot'
  | 'idle'
  | 'rset'
  | 'quit';

/**
 * What the server does. A string is the reply (several lines by `\r\n`). `silence` lasts for the rest of the connection; at
 * `content`, the server also stops reading. `reply` is followed by `then`; `drip` sends the reply one byte every so many
 * milliseconds; `flood` sends a piece again and again; `raw` sends bytes as they are, without a line end.
 */
export type MxAction =
  | string
  | 'silence'
  | 'close'
  | 'reset'
  | { reply: string; then: 'close' | 'reset' | 'silence' }
  | { drip: string; everyMs: number }
  | { flood: string; bytes: number }
  | { raw: string | Buffer };

export interface MxContext {
  /** The command line without its line end; '' for banner and dot. */
  line: string;
  /** Counts connections from 1. */
  session: number;
  /** How often this moment has come on all connections, from 1. */
  count: number;
  /** Recipients accepted so far in this transaction. */
  accepted: string[];
}

export type MxStep = MxAction | ((context: MxContext) => MxAction | undefined);

export interface MxScript {
  on?: Partial<Record<MxMoment, MxStep>>;
  /** EHLO keywords. STARTTLS and AUTH are added when `tls` or `login` say so. */
  extensions?: string[];
  /** Offers STARTTLS; with `implicit`, speaks TLS from the first byte. */
  tls?: Certificate & { implicit?: boolean; minVersion?: SecureVersion; maxVersion?: SecureVersion };
  login?: { user: string; password: string; mechanisms?: string };
  /** `bulk` sends the replies to a pipelined group together, `single` each in a packet of its own. */
  pace?: 'bulk' | 'single';
  host?: string;
  port?: number;
}

export interface ReceivedMail {
  mailFrom: string;
  /** What followed the address: `SIZE=12 BODY=8BITMIME`. */
  parameters: string;
  recipients: string[];
  /** Un-stuffed, without the final dot. */
  content: Buffer;
  session: number;
  tls: boolean;
  login: string | null;
  /** Answered with 2xx. */
  accepted: boolean;
  at: number;
}

export interface MxSession {
  id: number;
  commands: string[];
  /** SNI name, once TLS runs. */
  serverName: string | null;
  tls: boolean;
  open: boolean;
}

/** What a connection needs from its server. */
export interface MxServer {
  readonly script: MxScript;
  /** Floods that were sent to their end. */
  floods: number;
  decide(moment: MxMoment, context: Omit<MxContext, 'count'>): MxAction | undefined;
  keep(mail: ReceivedMail): void;
}

export const ORDINARY_EXTENSIONS = ['PIPELINING', 'SIZE 10485760', '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES'];
export const WITHOUT_PIPELINING = ORDINARY_EXTENSIONS.filter((keyword) => keyword !== 'PIPELINING');

/** One action each time the moment comes; then the ordinary reply. */
export const inTurn =
  (...actions: MxAction[]): MxStep =>
  ({ count }) =>
    actions[count - 1];
