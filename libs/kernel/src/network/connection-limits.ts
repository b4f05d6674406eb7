import { readFileSync } from 'node:fs';
import type { Config } from '../config/config.js';
import type { Log } from '../logging/log.js';
import { clientNetwork } from './client-network.js';

/** How a new connection is met: served, refused with a response that says why, or dropped without one. */
export type Admission = 'serve' | 'refuse' | 'drop';

/** Connections are refused up to this multiple of a limit; beyond it, even a TLS handshake to say so costs too much. */
const DROP_FACTOR = 2;
/** Twice the 10,000 idle connections that the relay is built to hold. */
const MAX_SMTP_CONNECTIONS = 20_000;
/** Files and sockets of the rest of the process: database, deliveries, logs. */
const OTHER_FILES = 1_000;
/** Part of the open files that HTTP connections may use, including those that are being refused. */
const HTTP_SHARE = 1 / 4;

interface Limits {
  /** Per client network. */
  perNetwork: number;
  overall?: number;
  /** Connections are dropped beyond this multiple of a limit. */
  dropFactor?: number;
}

/** Counts open connections per client network and overall; one is shared by all listeners whose connections are counted together. */
export class ConnectionLimiter {
  private readonly open = new Map<string, number>();
  private total = 0;
  private readonly limits: Required<Limits>;

  constructor(limits: Limits) {
    this.limits = { overall: Infinity, dropFactor: DROP_FACTOR, ...limits };
  }

  /** All connections that are counted. */
  get size(): number {
    return this.total;
  }

  isFull(): boolean {
    return this.total > this.limits.overall;
  }

  /** Whether the network of this address has more than its share. */
  isShareFull(address: string): boolean {
    return (this.open.get(clientNetwork(address)) ?? 0) > this.limits.perNetwork;
  }

  /** Counts one connection more, however it is met; each has to be released once. */
  admit(address: string): Admission {
    const { perNetwork, overall, dropFactor } = this.limits;
    const network = clientNetwork(address);
    const open = (this.open.get(network) ?? 0) + 1;
    this.open.set(network, open);
    this.total += 1;
    if (open > perNetwork * dropFactor || this.total > overall * dropFactor) return 'drop';
    return open > perNetwork || this.total > overall ? 'refuse' : 'serve';
  }

  release(address: string): void {
    const network = clientNetwork(address);
    const open = (this.open.get(network) ?? 1) - 1;
    this.total -= 1;
    if (open > 0) this.open.set(network, open);
    else this.open.delete(network);
  }
}

/** Number of HTTP connections that this process serves: HTTP_CONNECTIONS, or less where the limit of open files is small. */
export function httpConnectionLimit({ settings }: Config): number {
  return Math.min(settings.HTTP_CONNECTIONS, Math.max(1, Math.floor(maxOpenFiles() * HTTP_SHARE)));
}

/** Number of submission connections that this process can hold; logged where the limit of open files makes it smaller. */
export function smtpConnectionLimit(config: Config, log: Log): number {
  const files = maxOpenFiles();
  const others = OTHER_FILES + (config.program === 'standalone' ? httpConnectionLimit(config) : 0);
  if (files >= MAX_SMTP_CONNECTIONS + others) return MAX_SMTP_CONNECTIONS;
  const limit = Math.max(files - others, Math.floor(files / 2));
  log.info('the limit of open files limits smtp connections', { open_files: files, connections: limit });
  return limit;
}

/** The soft limit, which Node.js raises to the hard one when it starts; Infinity if it cannot be read. */
function maxOpenFiles(): number {
  try {
    const line = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return Number(line?.[1] ?? NaN) || Infinity;
  } catch {
    return Infinity;
  }
}

/** How many connections the process may hold. */
export const connectionLimits = { http: httpConnectionLimit, smtp: smtpConnectionLimit };
