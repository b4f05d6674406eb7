import type { DeliveryPhase } from '../delivery-outcome.js';

/** Socket errors as text. Other codes are shown as they are. */
const ERROR_TEXTS: Record<string, string> = {
  ECONNREFUSED: 'nobody listens there (ECONNREFUSED)',
  ECONNRESET: 'the peer broke the connection (ECONNRESET)',
  EPIPE: 'the peer has closed the connection (EPIPE)',
  ETIMEDOUT: 'the peer does not answer (ETIMEDOUT)',
  EHOSTUNREACH: 'there is no way to this host (EHOSTUNREACH)',
  ENETUNREACH: 'there is no way to this network (ENETUNREACH)',
};

/** The text of a socket error. @param source Our source address; null: the system's choice. */
export function socketErrorText(error: NodeJS.ErrnoException, source: string | null): string {
  if (error.code === 'EADDRNOTAVAIL' && source !== null) return `${source} is not an address of this machine`;
  return ERROR_TEXTS[error.code ?? ''] ?? error.code ?? error.message;
}

/** The step of the dialogue in which the error happened. */
export const PHASE_TEXTS: Record<DeliveryPhase, string> = {
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
