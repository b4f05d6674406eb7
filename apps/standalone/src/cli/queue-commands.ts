import type { HeldQueue } from '#libs/emails';
import type { Command } from './command.js';
import { table } from './table.js';

const list: Command = {
  name: 'queues',
  positionals: [],
  options: {},
  summary: 'Lists the queues that are held back: how, until when, and whose words did it.',
  prepare: () => async (admin) => {
    const found = await admin.queues.list();
    return { json: found, text: table(found.map(lineOf)) };
  },
};

const resume: Command = {
  name: 'queues resume',
  positionals: ['queue'],
  options: {},
  summary: 'Ends what holds a queue back; its mail is due at once. Counts in running programs within two seconds.',
  prepare:
    ({ positionals: [queue] }) =>
    async (admin) => {
      const { restraints, recipients } = await admin.queues.resume(queue);
      const text =
        restraints === 0 && recipients === 0
          ? `Nothing holds ${queue} back.`
          : `${queue} goes on. Recipients that waited for it and are due now: ${recipients}.`;
      return { json: { queue, restraints, recipients }, text };
    },
};

export const QUEUE_COMMANDS: readonly Command[] = [list, resume];

function lineOf({ queue, source, state, factor, until, waiting, rule, mx, words }: HeldQueue): Record<string, string> {
  const pace = factor === null ? state : `${state} to ${Math.round(factor * 100)} %`;
  const reason = words === null ? rule : `${mx ?? 'a server'}: ${words} (${rule})`;
  return { queue, source: source ?? '-', state: pace, until, waiting: String(waiting), reason };
}
