import { existsSync } from 'node:fs';
import { UsageError, type Command } from './command.js';
import type { RecoveredStatistics } from './statistics-files.js';

const rebuild: Command = {
  name: 'stats rebuild',
  positionals: [],
  options: {},
  summary:
    'Rebuilds statistics from the event log. Stop the programs standalone and analytics first. Days that the log no longer has are kept as they are.',
  prepare: () => async (admin) => {
    const { events, since } = await admin.statistics.rebuild();
    const range = since === null ? '' : ` since ${since.toISOString()}; older figures were kept`;
    return { json: { events, since }, text: `Rebuilt statistics from ${events} events${range}.` };
  },
};

const recover: Command = {
  name: 'stats recover',
  positionals: [],
  options: { from: { type: 'string' } },
  synopsis: '[--from DIRECTORY]',
  summary:
    'Reads statistics back from files that were set aside, or from a directory of a store. Stop the programs standalone and analytics first. Nothing is counted twice.',
  prepare: ({ options }) => {
    const from = options['from'] as string | undefined;
    if (from !== undefined && !existsSync(from)) throw new UsageError(`--from must be an existing directory: ${from}`);
    return async (admin) => {
      const recovered = await admin.statistics.recover(from);
      return { json: recovered, text: textOf(recovered) };
    };
  },
};

function textOf({ folders, incomplete }: RecoveredStatistics): string {
  const lines = folders.flatMap(({ folder, read, unreadable, events, days }) => [
    `${folder}: ${read.length} parts read; added ${events} events, and roll-ups of ${days.length} days.`,
    ...unreadable.map((part) => `  unreadable: ${part}`),
  ]);
  if (folders.length === 0) lines.push('There are no files that were set aside.');
  lines.push(incomplete.length === 0 ? 'No day lacks events.' : `Days that lack events: ${incomplete.join(', ')}.`);
  return lines.join('\n');
}

export const STATS_COMMANDS: readonly Command[] = [rebuild, recover];
