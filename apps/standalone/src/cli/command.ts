import type { ParseArgsConfig } from 'node:util';
import type { Config } from '#libs/kernel';
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
  /** The command did what it was asked and found something wrong: it ends with 1 all the same. */
  failed?: boolean;
  /** Called when the answer is printed. */
  close?: () => Promise<void>;
}

interface Described {
  /** As it is typed, for example `accounts create`. */
  name: string;
  /** Names of what must follow, in order. */
  positionals: string[];
  options: NonNullable<ParseArgsConfig['options']>;
  /** How the options are shown in the help. */
  synopsis?: string;
  summary: string;
}

/** Works on the database of this installation, which is opened for it. */
export interface AdministrationCommand extends Described {
  /** Checks what needs no database. @throws UsageError */
  prepare: (input: CommandInput) => (admin: Administration) => Promise<CommandOutput>;
}

/** Works where there is no database, or one that is broken. */
export interface LoneCommand extends Described {
  /** @throws UsageError */
  prepareAlone: (input: CommandInput) => (config: Config) => Promise<CommandOutput>;
}

/** One thing that the command line can do. */
export type Command = AdministrationCommand | LoneCommand;
