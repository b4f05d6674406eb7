import { OPERATOR, type Standing, accountShapes } from '#libs/accounts';
import { UsageError, type Command } from './command.js';
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
  resume,
  notify,
];
