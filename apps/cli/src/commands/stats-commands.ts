import type { Command } from './command.js';

const rebuild: Command = {
  name: 'stats rebuild',
  positionals: [],
  options: {},
  summary:
    'Rebuilds statistics from the event log. Stop the programs standalone and analytics first. Days that the log no longer has are kept as they are.',
  prepare: () => async (admin) => {
    const { events, since } = await admin.rebuildStatistics();
    const range = since === null ? '' : ` since ${since.toISOString()}; older figures were kept`;
    return { json: { events, since }, text: `Rebuilt statistics from ${events} events${range}.` };
  },
};

export const STATS_COMMANDS: readonly Command[] = [rebuild];
