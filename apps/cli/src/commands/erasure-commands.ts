import { OPERATOR } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import type { ErasureView } from '#libs/erasure';
import { suppressionShapes } from '#libs/suppressions';
import { requireAccount } from './administration.js';
import { UsageError, type Command } from './command.js';

const erase: Command = {
  name: 'erase',
  positionals: ['account', 'address'],
  options: {},
  summary: 'Requests the erasure of a recipient from all stores of an account; the running service does the work.',
  prepare: ({ positionals: [account, address] }) => {
    const [problem] = suppressionShapes.suppression.ruleOf('email')(address);
    if (problem) throw new UsageError(`The address ${problem.message}.`);
    return async (admin) => {
      await requireAccount(admin, account);
      const erasure = await admin.erasures.request(account, address, { actor: OPERATOR });
      return { json: erasure, text: textOf(erasure) };
    };
  },
};

const show: Command = {
  name: 'erasures show',
  positionals: ['id'],
  options: {},
  summary: 'Shows how far an erasure is, and its receipt.',
  prepare:
    ({ positionals: [id] }) =>
    async (admin) => {
      const erasure = await admin.erasures.findAny(id);
      if (erasure === null) throw new Refusal('not_found', [], `There is no erasure ${id}.`);
      return { json: erasure, text: textOf(erasure) };
    },
};

export const ERASURE_COMMANDS: readonly Command[] = [erase, show];

function textOf({ id, status, receipt }: ErasureView): string {
  const counts = Object.entries(receipt.erased).filter(([, count]) => count > 0);
  return [
    `${id} is ${status}. The address is replaced by ${receipt.erased_as}.`,
    ...counts.map(([name, count]) => `  ${name.replaceAll('_', ' ')}: ${count}`),
    ...(receipt.waiting_messages > 0 ? [`  messages that wait for other recipients: ${receipt.waiting_messages}`] : []),
    'The address may still be in:',
    ...receipt.elsewhere.map(({ place, expires_at, note }) => `  ${place} (until ${expires_at ?? 'unknown'}): ${note}`),
  ].join('\n');
}
