import type { ThrottleView } from '#libs/queue';
import type { Command } from './command.js';
import { table } from './output.js';

const list: Command = {
  name: 'queues',
  positionals: [],
  options: {},
  summary: 'Lists the queues that are held back: how, until when, and because of which reply.',
  prepare: () => async (admin) => {
    const found = await admin.queues.list();
    return { json: found, text: table(found.map(toRow)) };
  },
};

const resume: Command = {
  name: 'queues resume',
  positionals: ['queue'],
  options: {},
  summary:
    'Resumes a queue that is held back: its mail is due at once. Takes effect in running programs within two seconds.',
  prepare:
    ({ positionals: [queue] }) =>
    async (admin) => {
      const { restraints, recipients } = await admin.queues.resume(queue);
      const text =
        restraints === 0 && recipients === 0
          ? `${queue} is not held back.`
          : `${queue} goes on. Recipients that are due now: ${recipients}.`;
      return { json: { queue, restraints, recipients }, text };
    },
};

export const QUEUE_COMMANDS: readonly Command[] = [list, resume];

function toRow({
  queue,
  source,
  state,
  factor,
  until,
  waiting,
  rule,
  mx,
  words,
}: ThrottleView): Record<string, string> {
  const pace = factor === null ? state : `${state} to ${Math.round(factor * 100)}%`;
  const reason = words === null ? rule : `${mx ?? 'a server'}: ${words} (${rule})`;
  return { queue, source: source ?? '-', state: pace, until, waiting: String(waiting), reason };
}
