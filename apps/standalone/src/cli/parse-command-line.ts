import { parseArgs } from 'node:util';
import { ACCOUNT_COMMANDS } from './account-commands.js';
import { API_KEY_COMMANDS } from './api-key-commands.js';
import type { AdministrationCommand, Command, CommandInput, LoneCommand } from './command.js';
import { DOCTOR_COMMANDS } from './doctor-command.js';
import { DOMAIN_COMMANDS } from './domain-commands.js';
import { INBOUND_COMMANDS } from './inbound-commands.js';
import { QUEUE_COMMANDS } from './queue-commands.js';
import { TLS_REPORT_COMMANDS } from './tls-report-commands.js';
import { UsageError } from './usage-error.js';

export const COMMANDS: readonly Command[] = [
  ...ACCOUNT_COMMANDS,
  ...API_KEY_COMMANDS,
  ...DOMAIN_COMMANDS,
  ...QUEUE_COMMANDS,
  ...INBOUND_COMMANDS,
  ...TLS_REPORT_COMMANDS,
  ...DOCTOR_COMMANDS,
];

export type Order =
  | { kind: 'help' }
  | { kind: 'run'; json: boolean; run: ReturnType<AdministrationCommand['prepare']> }
  | { kind: 'run_alone'; json: boolean; run: ReturnType<LoneCommand['prepareAlone']> };

/** What the words behind the program's name ask for. Touches nothing. @throws UsageError */
export function parseCommandLine(words: string[]): Order {
  if (words.includes('--help') || words.includes('-h') || words[0] === 'help') return { kind: 'help' };
  const command = findCommand(words);
  const { json, ...input } = readInput(command, words.slice(command.name.split(' ').length));
  return 'prepare' in command
    ? { kind: 'run', json, run: command.prepare(input) }
    : { kind: 'run_alone', json, run: command.prepareAlone(input) };
}

function findCommand(words: string[]): Command {
  if (words.length === 0) throw new UsageError('Say what to do, for example: accounts list');
  if (words[0].startsWith('-'))
    throw new UsageError(`The command comes first, options after it; "${words[0]}" is an option.`);
  const isAlone = words.length === 1 || words[1].startsWith('-');
  const wanted = isAlone ? words[0] : `${words[0]} ${words[1]}`;
  const command = COMMANDS.find(({ name }) => name === wanted);
  if (command) return command;
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${words[0]} `)).map(({ name }) => name.split(' ')[1]);
  const lone = COMMANDS.find(({ name }) => name === words[0]);
  if (group.length === 0 && lone !== undefined) return lone;
  if (group.length === 0) throw new UsageError(`There is no command "${words[0]}".`);
  if (words.length === 1) throw new UsageError(`"${words[0]}" needs one of ${group.join(', ')} after it.`);
  throw new UsageError(`There is no command "${words[0]} ${words[1]}"; "${words[0]}" knows ${group.join(', ')}.`);
}

function readInput(command: Command, args: string[]): CommandInput & { json: boolean } {
  const { values, positionals } = parsed(command, args);
  const missing = command.positionals.slice(positionals.length);
  if (missing.length > 0)
    throw new UsageError(`"${command.name}" needs ${missing.map((name) => `<${name}>`).join(' ')}.`);
  const extra = positionals.slice(command.positionals.length);
  if (extra.length > 0) throw new UsageError(`"${command.name}" takes no further word; "${extra[0]}" is one too many.`);
  const options: Record<string, string | boolean | undefined> = {};
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' || typeof value === 'boolean') options[name] = value;
  }
  return { positionals, options, json: options['json'] === true };
}

function parsed(command: Command, args: string[]): ReturnType<typeof parseArgs> {
  try {
    const options = { ...command.options, json: { type: 'boolean' as const } };
    return parseArgs({ args, options, strict: true, allowPositionals: true });
  } catch (error) {
    // Its first sentence names the option; the others teach the shell.
    const sentence = (error as Error).message.split(/\.\s|\n/, 1)[0].replace(/\.$/, '');
    throw new UsageError(`${sentence}.`);
  }
}
