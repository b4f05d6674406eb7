import type { Command } from './command.js';
import { requireAccount } from './require-account.js';
import { table } from './table.js';

const vouch: Command = {
  name: 'domains vouch',
  positionals: ['account', 'domain'],
  options: {},
  summary: 'Lets an account send from a domain at once; you answer for its right to do so.',
  prepare:
    ({ positionals: [accountId, written] }) =>
    async (admin) => {
      await requireAccount(admin, accountId);
      const { id, name, status } = await admin.domains.addVouched(accountId, written);
      return { json: { id, name, status }, text: `${accountId} may send from ${name} (${id}).` };
    },
};

const list: Command = {
  name: 'domains list',
  positionals: ['account'],
  options: {},
  summary: 'Lists the domains of an account; with --json also their DNS records.',
  prepare:
    ({ positionals: [accountId] }) =>
    async (admin) => {
      await requireAccount(admin, accountId);
      const found = await admin.domains.list(accountId);
      return {
        json: found,
        text: table(found.map(({ id, name, status, created_at }) => ({ id, name, status, created_at }))),
      };
    },
};

export const DOMAIN_COMMANDS: readonly Command[] = [vouch, list];
