/** The settings with a host and a port on which some program listens. */
export interface ListenerSettings {
  HTTP_HOST: string;
  HTTP_PORT: number;
  HTTPS_PORT?: number;
  ACME_HTTP_PORT?: number;
  SMTP_HOST: string;
  SMTP_PORT: number;
  SMTPS_PORT: number;
  INBOUND_SMTP_PORT: number;
  OPS_HOST: string;
  OPS_PORT?: number;
}
type PortSetting =
  | 'HTTP_PORT'
  | 'HTTPS_PORT'
  | 'ACME_HTTP_PORT'
  | 'SMTP_PORT'
  | 'SMTPS_PORT'
  | 'INBOUND_SMTP_PORT'
  | 'OPS_PORT';

const HOSTS: Record<PortSetting, 'HTTP_HOST' | 'SMTP_HOST' | 'OPS_HOST'> = {
  HTTP_PORT: 'HTTP_HOST',
  HTTPS_PORT: 'HTTP_HOST',
  ACME_HTTP_PORT: 'HTTP_HOST',
  SMTP_PORT: 'SMTP_HOST',
  SMTPS_PORT: 'SMTP_HOST',
  INBOUND_SMTP_PORT: 'SMTP_HOST',
  OPS_PORT: 'OPS_HOST',
};
const HTTP: PortSetting[] = ['HTTP_PORT', 'HTTPS_PORT', 'ACME_HTTP_PORT'];
const SMTP: PortSetting[] = ['SMTP_PORT', 'SMTPS_PORT', 'INBOUND_SMTP_PORT'];
/** By the name of the program; the others listen on OPS_PORT alone. */
const OF_PROGRAM: Partial<Record<string, PortSetting[]>> = {
  standalone: [...HTTP, ...SMTP, 'OPS_PORT'],
  gateway: [...HTTP, 'OPS_PORT'],
  smtp: [...SMTP, 'OPS_PORT'],
};
const EVERY_ADDRESS = new Set(['0.0.0.0', '::', '']);

/** One sentence for each pair of listeners of this program that would have the same address. Port 0 is any free port. */
export function portClashes(program: string, settings: ListenerSettings): string[] {
  const ports = (OF_PROGRAM[program] ?? []).filter((name) => (settings[name] ?? 0) !== 0);
  return ports.flatMap((name, i) =>
    ports
      .slice(i + 1)
      .filter((other) => settings[name] === settings[other] && overlap(settings[HOSTS[name]], settings[HOSTS[other]]))
      .map((other) => `${name} and ${other} must differ; both are ${settings[name]}.`),
  );
}

const overlap = (a: string, b: string): boolean =>
  normalised(a) === normalised(b) || EVERY_ADDRESS.has(a) || EVERY_ADDRESS.has(b);

const normalised = (host: string): string => (host.toLowerCase() === 'localhost' ? '127.0.0.1' : host.toLowerCase());
