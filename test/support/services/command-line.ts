import 'reflect-metadata';
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
  const administration = await openAdministration(loadConfig('cli', env), Log.quiet());
  return {
    run: async (words) => {
      const invocation = parseCommandLine(words);
      if (invocation.kind !== 'with_database') throw new Error(`"${words.join(' ')}" is no command on the database`);
      return (await invocation.run(administration)).json;
    },
    close: () => administration.close(),
  };
}
