import type { ParseArgsConfig } from 'node:util';
import type { Administration } from './administration.js';

/** What the options of a command were; the parser has checked their types, not their meaning. */
export interface CommandInput {
  positionals: string[];
  options: Readonly<Record<string, string | boolean | undefined>>;
}

export interface CommandOutput {
  /** For `--json`, on one line. */
  json: unknown;
  /** For people. */
  text: string;
  /** Octets in the place of `text` where the output is no terminal. */
  raw?: Buffer;
}

/** One thing that the command line can do. */
export interface Command {
  /** As it is typed, for example `accounts create`. */
  name: string;
  /** Names of what must follow, in order. */
  positionals: string[];
  options: NonNullable<ParseArgsConfig['options']>;
  /** How the options are shown in the help. */
  synopsis?: string;
  summary: string;
  /** Checks what needs no database. @throws UsageError */
  prepare: (input: CommandInput) => (admin: Administration) => Promise<CommandOutput>;
}
