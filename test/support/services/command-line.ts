import 'reflect-metadata';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, Log } from '#libs/kernel';
import { openAdministration } from '../../../apps/cli/src/commands/administration.js';
import { parseCommandLine } from '../../../apps/cli/src/commands/parse-command-line.js';

/** The administration command line on one running service, without a process for each command. */
export interface CommandLine {
  /** What the command prints with `--json`. */
  run(words: string[]): Promise<unknown>;
  close(): Promise<void>;
}

export async function openCommandLine(env: Record<string, string>): Promise<CommandLine> {
  // Not the default, where `npm start` in this checkout keeps its own data.
  const config = loadConfig('cli', { DATA_DIR: join(tmpdir(), 'postloft-command-line'), ...env });
  const administration = await openAdministration(config, Log.quiet());
  return {
    run: async (words) => {
      const invocation = parseCommandLine(words);
      if (invocation.kind !== 'with_database') throw new Error(`"${words.join(' ')}" is no command on the database`);
      return (await invocation.run(administration)).json;
    },
    close: () => administration.close(),
  };
}
