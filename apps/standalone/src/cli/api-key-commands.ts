import { PERMISSIONS, type Permission } from '#libs/contracts';
import type { Command } from './command.js';
import { textOption } from './option-checks.js';
import { requireAccount } from './require-account.js';
import { UsageError } from './usage-error.js';

const create: Command = {
  name: 'api-keys create',
  positionals: ['account'],
  options: { test: { type: 'boolean' }, permission: { type: 'string' }, name: { type: 'string' } },
  synopsis: `[--test] [--permission ${PERMISSIONS.join('|')}] [--name N]`,
  summary: 'Makes an API key, which is shown this once.',
  prepare: (input) => {
    const [accountId] = input.positionals;
    const permission = checkedPermission(textOption(input, 'permission', 'full_access'));
    const mode = input.options['test'] === true ? ('test' as const) : ('live' as const);
    const name = textOption(input, 'name', 'made on the command line');
    return async (admin) => {
      await requireAccount(admin, accountId);
      const { id, token } = await admin.apiKeys.create(accountId, { name, mode, permission });
      return { json: { id, token }, text: `id       ${id}\nAPI key  ${token}  (shown this once)` };
    };
  },
};

const revoke: Command = {
  name: 'api-keys revoke',
  positionals: ['id'],
  options: {},
  summary: 'Ends an API key for good, within a second.',
  prepare:
    ({ positionals: [id] }) =>
    async ({ apiKeys }) => {
      await apiKeys.revoke(id);
      return { json: { id, revoked: true }, text: `${id} is revoked.` };
    },
};

function checkedPermission(text: string): Permission {
  const found = PERMISSIONS.find((permission) => permission === text);
  if (!found) throw new UsageError(`A permission is ${PERMISSIONS.join(' or ')}; "${text}" is neither.`);
  return found;
}

export const API_KEY_COMMANDS: readonly Command[] = [create, revoke];
