import type { Config } from '#libs/kernel';
import pg from 'pg';

/** Of Node.js, when a connection cannot be opened; a name with several addresses fails with one for each. */
interface ConnectError extends Error {
  code: string;
  syscall?: 'connect' | 'getaddrinfo';
  port?: number;
  hostname?: string;
  errors?: ConnectError[];
}

/** PostgreSQL, appendix A: invalid_authorization_specification, invalid_password, invalid_catalog_name. */
const REFUSALS = new Set(['28000', '28P01', '3D000']);
const USUAL_PORT = 5432;

/** Why the server of DATABASE_URL cannot be used, in one sentence; null for every other failure of a start. */
export function databaseProblem(error: unknown, { settings }: Pick<Config, 'settings'>): string | null {
  if (settings.DATABASE_URL === undefined || !(error instanceof Error)) return null;
  if (error instanceof pg.DatabaseError)
    return REFUSALS.has(error.code ?? '') ? `DATABASE_URL is refused by PostgreSQL: ${error.message}` : null;
  const { hostname, port } = new URL(settings.DATABASE_URL);
  const { code, syscall, hostname: asked, port: tried } = firstOf(error as ConnectError);
  if (syscall === 'getaddrinfo' && asked === hostname)
    return `DATABASE_URL names ${hostname}, for which no address is known (${code}): correct the name, or see to DNS`;
  const number = port === '' ? USUAL_PORT : Number(port);
  if (syscall !== 'connect' || tried !== number) return null;
  return code === 'ECONNREFUSED'
    ? `DATABASE_URL names port ${number} of ${hostname}, where nothing listens: start PostgreSQL there, or correct the setting`
    : `DATABASE_URL names port ${number} of ${hostname}, which cannot be reached (${code}): see to the network, or correct the setting`;
}

const firstOf = (error: ConnectError): ConnectError => error.errors?.[0] ?? error;
