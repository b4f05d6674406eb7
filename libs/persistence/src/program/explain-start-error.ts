import { ConfigError, type Config } from '#libs/kernel';
import pg from 'pg';

/** Settings that name the port of a listener. */
const LISTENERS = [
  'HTTP_PORT',
  'HTTPS_PORT',
  'ACME_HTTP_PORT',
  'SMTP_PORT',
  'SMTPS_PORT',
  'INBOUND_SMTP_PORT',
  'OPS_PORT',
] as const;
/**
 * invalid_authorization_specification, invalid_password, invalid_catalog_name, insufficient_privilege and
 * too_many_connections (PostgreSQL, appendix A).
 */
const LOGIN_ERRORS = new Set(['28000', '28P01', '3D000', '42501', '53300']);
/** undefined_object: the server does not know a parameter of the connection, as before PostgreSQL 11. */
const UNKNOWN_PARAMETER = '42704';
const POSTGRES_PORT = 5432;

type Settings = Pick<Config, 'settings'>;

/** Of Node.js, when a listener cannot be opened. */
interface ListenError extends Error {
  syscall: 'listen';
  code: string;
  address: string;
  port: number;
}

/** Of Node.js, when a connection cannot be opened; a name with several addresses fails with one error for each. */
interface ConnectError extends Error {
  code: string;
  syscall?: 'connect' | 'getaddrinfo';
  port?: number;
  hostname?: string;
  errors?: ConnectError[];
}

/** The error of a start as a sentence for the operator; null for an unexpected error, whose stack belongs in the log. */
export function explainStartError(error: unknown, config: Settings): string | null {
  if (error instanceof ConfigError) return error.message;
  return explainListenError(error, config) ?? explainDatabaseError(error, config);
}

/** Null unless a listener could not be opened. */
export function explainListenError(error: unknown, { settings }: Settings): string | null {
  if (!isListenError(error)) return null;
  const { code, address, port } = error;
  const setting = LISTENERS.find((name) => settings[name] === port) ?? 'a setting';
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

/** Null unless the server of DATABASE_URL cannot be reached or rejects the login. */
export function explainDatabaseError(error: unknown, { settings }: Settings): string | null {
  if (settings.DATABASE_URL === undefined || !(error instanceof Error)) return null;
  if (error instanceof pg.DatabaseError) return explainRejection(error);
  const { hostname, port } = new URL(settings.DATABASE_URL);
  const { code, syscall, hostname: resolved, port: connected } = firstOf(error as ConnectError);
  if (syscall === 'getaddrinfo' && resolved === hostname)
    return `DATABASE_URL names ${hostname}, for which no address is known (${code}): correct the name, or see to DNS`;
  const number = port === '' ? POSTGRES_PORT : Number(port);
  if (syscall !== 'connect' || connected !== number) return null;
  return code === 'ECONNREFUSED'
    ? `DATABASE_URL names port ${number} of ${hostname}, where nothing listens: start PostgreSQL there, or correct the setting`
    : `DATABASE_URL names port ${number} of ${hostname}, which cannot be reached (${code}): see to the network, or correct the setting`;
}

function explainRejection({ code = '', message }: pg.DatabaseError): string | null {
  if (code === UNKNOWN_PARAMETER) return `DATABASE_URL names a PostgreSQL server that is too old: ${message}`;
  return LOGIN_ERRORS.has(code) ? `DATABASE_URL is refused by PostgreSQL: ${message}` : null;
}

const firstOf = (error: ConnectError): ConnectError => error.errors?.[0] ?? error;
