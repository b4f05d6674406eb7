import { type ApiKeyOptions, type ApiKeyView, accountShapes } from '#libs/accounts';
import { LIMITS, PERMISSIONS, Refusal, SCOPES, type Permission, type Scope, wholeAccount } from '#libs/contracts';
import { requireAccount, type Administration } from './administration.js';
import { UsageError, type Command, type CommandInput } from './command.js';
import { checkedOption, listOption, textOption } from './option-checks.js';
import { table } from './output.js';

const create: Command = {
  name: 'api-keys create',
  positionals: ['account'],
  options: {
    test: { type: 'boolean' },
    permission: { type: 'string' },
    scopes: { type: 'string' },
    domain: { type: 'string' },
    ip: { type: 'string' },
    expires: { type: 'string' },
    name: { type: 'string' },
  },
  synopsis:
    `[--test] [--permission ${PERMISSIONS.join('|')}] [--scopes S,…] [--domain D,…] [--ip CIDR,…] ` +
    '[--expires TIME] [--name N]',
  summary: `Creates an API key, which is shown this once. Scopes: ${SCOPES.join(', ')}.`,
  prepare: (input) => {
    const [accountId] = input.positionals;
    const options = checkedOptions(input);
    const domains = listOption(input, 'domain');
    return async (admin) => {
      await requireAccount(admin, accountId);
      const domainIds = domains && (await idsOf(admin, accountId, domains));
      const key = await admin.apiKeys.create(accountId, { ...options, domain_ids: domainIds });
      return { json: key, text: `id       ${key.id}\nAPI key  ${key.token}  (shown this once)` };
    };
  },
};

const list: Command = {
  name: 'api-keys list',
  positionals: ['account'],
  options: {},
  summary: 'Lists the API keys of an account, newest first; with --json also their restrictions.',
  prepare:
    ({ positionals: [accountId] }) =>
    async (admin) => {
      await requireAccount(admin, accountId);
      const keys = await allKeys(admin, accountId);
      return { json: keys, text: table(keys.map(toRow)) };
    },
};

const revoke: Command = {
  name: 'api-keys revoke',
  positionals: ['id'],
  options: {},
  summary: 'Revokes an API key permanently, within a second.',
  prepare:
    ({ positionals: [id] }) =>
    async ({ apiKeys }) => {
      await apiKeys.revoke(id);
      return { json: { id, revoked: true }, text: `${id} is revoked.` };
    },
};

function checkedOptions(input: CommandInput): ApiKeyOptions {
  const [scopes, allowedIps] = [listOption(input, 'scopes'), listOption(input, 'ip')];
  const { permission, expires } = input.options;
  const name = textOption(input, 'name', 'made on the command line');
  if (scopes && permission !== undefined) throw new UsageError('Give --permission or --scopes, not both.');
  checkedOption('name', name, accountShapes.apiKey.ruleOf('name'));
  checkedOption('scopes', scopes, accountShapes.apiKey.ruleOf('scopes'));
  checkedOption('ip', allowedIps, accountShapes.apiKey.ruleOf('allowed_ips'));
  checkedOption('expires', expires, accountShapes.apiKey.ruleOf('expires_at'));
  return {
    name,
    mode: input.options['test'] === true ? 'test' : 'live',
    scopes: scopes as Scope[] | undefined,
    permission: permission === undefined ? undefined : checkedPermission(String(permission)),
    allowed_ips: allowedIps,
    expires_at: expires === undefined ? null : String(expires),
  };
}

function checkedPermission(text: string): Permission {
  const found = PERMISSIONS.find((permission) => permission === text);
  if (!found) throw new UsageError(`A permission is ${PERMISSIONS.join(' or ')}; "${text}" is neither.`);
  return found;
}

/** @param wanted names or ids of domains */
async function idsOf({ domains }: Administration, accountId: string, wanted: string[]): Promise<string[]> {
  const known = await domains.list(wholeAccount(accountId));
  return wanted.map((word) => {
    const domain = known.find(({ id, name }) => id === word || name === word.toLowerCase());
    if (!domain) throw new Refusal('not_found', [], `${accountId} has no domain "${word}".`);
    return domain.id;
  });
}

async function allKeys({ apiKeys }: Administration, accountId: string): Promise<ApiKeyView[]> {
  const keys: ApiKeyView[] = [];
  for (let after: string | undefined; ;) {
    const page = await apiKeys.list(accountId, { limit: LIMITS.listMaximum, ...(after ? { after } : {}) });
    keys.push(...page.data);
    if (page.next_cursor === null) return keys;
    after = page.next_cursor;
  }
}

function toRow(key: ApiKeyView): Record<string, string> {
  return {
    id: key.id,
    name: key.name,
    mode: key.mode,
    may: key.permission ?? key.scopes.join(','),
    enabled: key.enabled ? 'yes' : 'no',
    expires_at: key.expires_at ?? 'never',
    last_used_at: key.last_used_at ?? 'never',
  };
}

export const API_KEY_COMMANDS: readonly Command[] = [create, list, revoke];
