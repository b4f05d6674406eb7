import type { LogConsumer } from '#libs/bus';
import type { Command } from './command.js';
import { table } from './output.js';

const list: Command = {
  name: 'consumers list',
  positionals: [],
  options: {},
  summary: 'Lists the readers of the event log with their lag, and whether a program runs them.',
  prepare: () => async (admin) => {
    const found = await admin.consumers.list();
    return { json: found.map(toJson), text: table(found.map(toRow)) };
  },
};

const remove: Command = {
  name: 'consumers remove',
  positionals: ['consumer'],
  options: {},
  summary:
    'Forgets a reader of the event log that no program runs any more. One that starts again begins with the oldest event.',
  prepare:
    ({ positionals: [consumer] }) =>
    async (admin) => {
      switch (await admin.consumers.remove(consumer)) {
        case 'removed':
          return { json: { removed: consumer }, text: `Forgot the position of ${consumer}.` };
        case 'running':
          throw new Error(`A program runs ${consumer}. Stop it, wait a minute, and repeat the command.`);
        case 'unknown':
          throw new Error(`There is no consumer "${consumer}". See: consumers list`);
      }
    },
};

export const CONSUMER_COMMANDS: readonly Command[] = [list, remove];

const toJson = ({ consumer, lag, isRunning, lastActive }: LogConsumer) => ({
  consumer,
  lag,
  running: isRunning,
  last_active: lastActive.toISOString(),
});

const toRow = ({ consumer, lag, isRunning, lastActive }: LogConsumer): Record<string, string> => ({
  consumer,
  lag: lag === null ? '-' : String(lag),
  state: isRunning ? 'running' : 'not running',
  'last active': lastActive.toISOString(),
});
