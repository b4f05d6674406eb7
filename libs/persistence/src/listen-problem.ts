import type { Config } from '#libs/kernel';

/** Settings that name a port on which some program listens. */
const PORTS = ['HTTP_PORT', 'SMTP_PORT', 'SMTPS_PORT', 'INBOUND_SMTP_PORT', 'OPS_PORT'] as const;

/** Of Node.js, when a listener cannot be opened. */
interface ListenError extends Error {
  syscall: 'listen';
  code: string;
  address: string;
  port: number;
}

/** Why a port could not be opened, in one sentence; null for every other failure of a start. */
export function listenProblem(error: unknown, { settings }: Pick<Config, 'settings'>): string | null {
  if (!isListenError(error)) return null;
  const { code, address, port } = error;
  const setting = PORTS.find((name) => settings[name] === port) ?? 'a setting';
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${address} (${setting}) is taken by another program: stop that one or choose another port`;
    case 'EACCES':
      return `Port ${port} of ${address} (${setting}) may only be opened with privileges: choose one above 1023 and publish it as ${port}`;
    case 'EADDRNOTAVAIL':
      return `Port ${port} (${setting}) cannot be opened: ${address} is no address of this machine`;
    default:
      return null;
  }
}

const isListenError = (error: unknown): error is ListenError =>
  error instanceof Error && 'syscall' in error && error.syscall === 'listen' && 'port' in error;
