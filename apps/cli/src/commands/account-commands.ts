import { ACCOUNT_EXPORT } from './account-export.js';
import { OPERATOR, type Accounts, type Standing, accountShapes } from '#libs/accounts';
import { UsageError, type Command, type CommandInput } from './command.js';
import { checkedPlan, requiredOption, textOption } from './option-checks.js';
import { table } from './output.js';

const create: Command = {
  name: 'accounts create',
  positionals: [],
  options: { name: { type: 'string' }, plan: { type: 'string' } },
  synopsis: '--name N [--plan free|unlimited|<number>]',
  summary: 'Creates an account and its first API key, which is shown this once.',
  prepare: (input) => {
    const name = requiredOption(input, 'name');
    const plan = checkedPlan(textOption(input, 'plan', 'free'));
    return async ({ accounts, apiKeys }) => {
      const { id } = await accounts.create({ name, plan });
      const { token } = await apiKeys.create(id, { name: 'first key' });
      return {
        json: { id, api_key: token },
        text: `account  ${id}\nAPI key  ${token}  (shown this once)`,
      };
    };
  },
};

const list: Command = {
  name: 'accounts list',
  positionals: [],
  options: {},
  summary: 'Lists all accounts, newest first.',
  prepare:
    () =>
    async ({ accounts }) => {
      const found = (await accounts.list()).map((one) => ({
        id: one.id,
        name: one.name,
        standing: one.standing,
        plan: one.plan,
        pool: one.penalty === null ? 'default' : `penalty (${one.penalty.reason})`,
        sending: one.sending_pause === null ? 'on' : `paused (${one.sending_pause.reason})`,
        created_at: one.created_at.toISOString(),
      }));
      return { json: found, text: table(found) };
    },
};

const plan: Command = {
  name: 'accounts plan',
  positionals: ['account', 'plan'],
  options: {},
  summary: 'Sets the plan of an account: free (3,000 units a month), unlimited or a number of units a month.',
  prepare: (input) => {
    const [id] = input.positionals;
    const wanted = checkedPlan(input.positionals[1]);
    return async ({ accounts }) => {
      await accounts.setPlan(id, wanted);
      return { json: { id, plan: wanted }, text: `${id} has the plan ${wanted}.` };
    };
  },
};

const notify: Command = {
  name: 'accounts notify',
  positionals: ['account', 'addresses'],
  options: {},
  summary: 'Sets the addresses that receive notices, separated by commas; "none" removes them.',
  prepare: ({ positionals: [id, written] }) => {
    const addresses = written === 'none' ? [] : written.split(',').map((address) => address.trim());
    const [problem] = accountShapes.account.ruleOf('notify_addresses')(addresses);
    if (problem) throw new UsageError(`The list of addresses${problem.path} ${problem.message}.`);
    return async ({ accounts }) => {
      const { notify_addresses } = await accounts.change(id, { notify_addresses: addresses }, { actor: OPERATOR });
      const text =
        notify_addresses.length === 0 ? `${id} gets no notices.` : `Notices go to ${notify_addresses.join(', ')}.`;
      return { json: { id, notify_addresses }, text };
    };
  },
};

const resume: Command = {
  name: 'accounts resume',
  positionals: ['account'],
  options: {},
  summary:
    'Resumes the sending of an account that was paused because of bounces or complaints; its rates start at zero.',
  prepare:
    ({ positionals: [id] }) =>
    async ({ accounts }) => {
      const resumed = await accounts.resume(id);
      const text = resumed ? `${id} may send again. Held mail goes out within a minute.` : `${id} is not paused.`;
      return { json: { id, resumed }, text };
    },
};

const pool: Command = {
  name: 'accounts pool',
  positionals: ['account', 'pool'],
  options: {},
  summary:
    'Decides about the source pool of an account: penalty, default, or auto, which leaves it to the limits. Its owner is told.',
  prepare: ({ positionals: [id, written] }) => {
    const [problem] = accountShapes.operatorAccountChange.fields.pool.input?.rule?.(written) ?? [];
    if (problem) throw new UsageError(`The pool ${problem.message}; "${written}" is none of them.`);
    return async ({ accounts }) => {
      await accounts.setPool(id, written as Parameters<Accounts['setPool']>[1]);
      const { pool: current } = await accounts.view(id);
      const text =
        current === 'penalty'
          ? `The emails of ${id} leave from the penalty pool within a second.`
          : `The emails of ${id} leave from the ordinary addresses within a second.`;
      return { json: { id, pool: current, pool_choice: written }, text };
    };
  },
};

const limits: Command = {
  name: 'accounts limits',
  positionals: ['account'],
  options: { monthly: { type: 'string' }, bounces: { type: 'string' }, complaints: { type: 'string' } },
  synopsis: '[--monthly free|unlimited|<number>] [--bounces <percent>|default] [--complaints <percent>|default]',
  summary:
    'Shows or sets the units per month of an account, and the percentages of bounces and complaints above which it is paused.',
  prepare: (input) => {
    const [id] = input.positionals;
    const { monthly } = input.options;
    const change = {
      plan: typeof monthly === 'string' ? checkedPlan(monthly) : undefined,
      bounce_limit_percent: checkedPercent(input, 'bounces'),
      complaint_limit_percent: checkedPercent(input, 'complaints'),
    };
    return async ({ accounts }) => {
      await accounts.changeAsOperator(id, change, null);
      await accounts.view(id);
      const row = await accounts.find(id);
      const { bounce_percent = null, complaint_percent = null } = row?.abuse_limits ?? {};
      const shown = {
        id,
        plan: row?.plan,
        bounce_limit_percent: bounce_percent,
        complaint_limit_percent: complaint_percent,
      };
      const percent = (own: number | null, name: string) => (own === null ? `${name} of the settings` : `${own}%`);
      return {
        json: shown,
        text: table([
          {
            ...{ id, plan: row?.plan ?? '' },
            bounces: percent(bounce_percent, 'ABUSE_BOUNCE_PERCENT'),
            complaints: percent(complaint_percent, 'ABUSE_COMPLAINT_PERCENT'),
          },
        ]),
      };
    };
  },
};

/** Null for `default`, undefined when the option is not given. */
function checkedPercent({ options }: CommandInput, name: 'bounces' | 'complaints'): number | null | undefined {
  const written = options[name];
  if (typeof written !== 'string') return undefined;
  if (written === 'default') return null;
  const value = /^\d{1,3}(?:\.\d{1,3})?%?$/.test(written) ? Number.parseFloat(written) : Number.NaN;
  const { input } = accountShapes.operatorAccountChange.fields.bounce_limit_percent;
  if (input?.rule?.(value).length !== 0)
    throw new UsageError(`--${name} must be a percentage above 0 and up to 100, or default; it is "${written}".`);
  return value;
}

function standingCommand(verb: string, standing: Standing, summary: string): Command {
  return {
    name: `accounts ${verb}`,
    positionals: ['account'],
    options: {},
    summary,
    prepare:
      ({ positionals: [id] }) =>
      async ({ accounts }) => {
        await accounts.setStanding(id, standing);
        return { json: { id, standing }, text: `${id} is ${standing}.` };
      },
  };
}

export const ACCOUNT_COMMANDS: readonly Command[] = [
  create,
  list,
  standingCommand('block', 'blocked', 'Blocks an account: its requests get 403; its data stays.'),
  standingCommand('unblock', 'active', 'Unblocks an account.'),
  standingCommand('overdue', 'overdue', 'Marks a payment as overdue: requests get 403 until it is settled.'),
  standingCommand('settled', 'active', 'Marks the payment as settled, so that the account works again.'),
  plan,
  pool,
  limits,
  resume,
  notify,
  ACCOUNT_EXPORT,
];
