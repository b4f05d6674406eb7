import type { DeliveryPhase } from './delivery-outcome.js';

/** Error codes of sockets in the words of people; what is not here is shown as it is. */
const FAULTS: Record<string, string> = {
  ECONNREFUSED: 'nobody listens there (ECONNREFUSED)',
  ECONNRESET: 'the peer broke the connection (ECONNRESET)',
  EPIPE: 'the peer has closed the connection (EPIPE)',
  ETIMEDOUT: 'the peer does not answer (ETIMEDOUT)',
  EHOSTUNREACH: 'there is no way to this host (EHOSTUNREACH)',
  ENETUNREACH: 'there is no way to this network (ENETUNREACH)',
};

/** What broke a line. `source`: the address of ours that was to speak. */
export function lineFault(error: NodeJS.ErrnoException, source: string | null): string {
  if (error.code === 'EADDRNOTAVAIL' && source !== null) return `${source} is not an address of this machine`;
  return FAULTS[error.code ?? ''] ?? error.code ?? error.message;
}

/** Where in the dialogue it was. */
export const PLACES: Record<DeliveryPhase, string> = {
  dns: 'while its name was looked up',
  connect: 'while connecting',
  greeting: 'before its greeting',
  ehlo: 'after EHLO',
  tls: 'while TLS was set up',
  auth: 'while logging in',
  mail: 'after MAIL',
  rcpt: 'after RCPT',
  data: 'after DATA',
  dot: 'after the end of the mail',
  capture: 'while it was captured',
};
