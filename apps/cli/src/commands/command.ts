import type { ParseArgsConfig } from 'node:util';
import type { Config } from '#libs/kernel';
import type { Administration } from './administration.js';

/** The words of a command line behind the name of the command. The parser has checked their types, not their values. */
export interface CommandInput {
  positionals: string[];
  options: Readonly<Record<string, string | boolean | undefined>>;
}

export interface CommandOutput {
  /** For `--json`, on one line. */
  json: unknown;
  /** For people. */
  text: string;
  /** Octets that replace `text` when standard output is not a terminal. */
  raw?: Buffer;
  /** The command has written its output itself. */
  isWritten?: boolean;
  /** The command worked and found a fault: the exit code is 1. */
  failed?: boolean;
  /** Called after the output. */
  close?: () => Promise<void>;
}

interface CommandDescription {
  /** As it is typed, for example `accounts create`. */
  name: string;
  /** Names of the required arguments, in order. */
  positionals: string[];
  options: NonNullable<ParseArgsConfig['options']>;
  /** The options as the help shows them. */
  synopsis?: string;
  summary: string;
}

/** Needs the database of this installation, which is opened for it. */
export interface DatabaseCommand extends CommandDescription {
  /** Checks the input as far as that needs no database. @throws UsageError */
  prepare: (input: CommandInput) => (admin: Administration) => Promise<CommandOutput>;
}

/** Needs only the settings, so that it works without a usable database. */
export interface SettingsCommand extends CommandDescription {
  /** @throws UsageError */
  prepareWithSettings: (input: CommandInput) => (config: Config) => Promise<CommandOutput>;
}

export type Command = DatabaseCommand | SettingsCommand;

/** The command line is invalid; the message says why. */
export class UsageError extends Error {}
