import type { Command } from './command.js';
import { table } from './output.js';

const list: Command = {
  name: 'certificates list',
  positionals: [],
  options: {},
  summary: 'Lists the certificates of the service: host, source, end, and the error of the last order by ACME.',
  prepare: () => async (admin) => {
    const found = await admin.certificates.list();
    const rows = found.map(({ host, source, not_after, last_error }) => ({
      ...{ host, source, not_after: not_after ?? '-', last_error: last_error ?? '-' },
    }));
    return { json: found, text: table(rows) };
  },
};

const renew: Command = {
  name: 'certificates renew',
  positionals: [],
  options: { host: { type: 'string' } },
  synopsis: '[--host HOST]',
  summary: 'Orders certificates by ACME again, of one host or of all, within seconds and before they are due.',
  prepare:
    ({ options: { host } }) =>
    async (admin) => {
      const hosts = await admin.certificates.renew(typeof host === 'string' ? host : null);
      return { json: { hosts }, text: `The running service orders certificates for ${hosts.join(', ')}.` };
    },
};

export const CERTIFICATE_COMMANDS: readonly Command[] = [list, renew];
