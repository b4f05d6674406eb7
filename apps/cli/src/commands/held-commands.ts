import { isId } from '#libs/contracts';
import { UsageError, type Command, type CommandInput } from './command.js';
import { forTerminal, table } from './output.js';

const REASONS = {
  in_flight: 'was being sent',
  not_covered: 'the delivery journal does not say',
} as const;

const list: Command = {
  name: 'queue held',
  positionals: [],
  options: {},
  summary: 'Lists recipients that a restore held, because they may have got their email already.',
  prepare: () => async (admin) => {
    const { count, recipients } = await admin.held.list();
    const rows = recipients.map(({ email_id, account_id, address, subject, reason }) => ({
      ...{ email: email_id, account: account_id, recipient: forTerminal(address) },
      ...{ why: REASONS[reason], subject: forTerminal(subject) },
    }));
    const rest = count > recipients.length ? `\n${count - recipients.length} more.` : '';
    return { json: { count, recipients }, text: table(rows) + rest };
  },
};

const release: Command = {
  name: 'queue held release',
  positionals: ['email'],
  options: {},
  summary: 'Sends the held recipients of an email, or of all emails with the word "all".',
  prepare: (input) => {
    const email = emailOf(input);
    return async (admin) => {
      const recipients = await admin.held.release(email);
      return { json: { recipients }, text: `Recipients that are due again: ${recipients}.` };
    };
  },
};

const drop: Command = {
  name: 'queue held drop',
  positionals: ['email'],
  options: {},
  summary: 'Ends the held recipients of an email, or of all emails with the word "all", as failed.',
  prepare: (input) => {
    const email = emailOf(input);
    return async (admin) => {
      const recipients = await admin.held.drop(email);
      return { json: { recipients }, text: `Recipients that failed: ${recipients}.` };
    };
  },
};

export const HELD_COMMANDS: readonly Command[] = [list, release, drop];

/** Null: all. @throws UsageError */
function emailOf({ positionals: [email] }: CommandInput): string | null {
  if (email === 'all') return null;
  if (isId('em', email)) return email;
  throw new UsageError(`<email> must be the id of an email, or "all"; it is "${forTerminal(email)}".`);
}
