import { parseArgs } from 'node:util';
import { ACCOUNT_COMMANDS } from './account-commands.js';
import { API_KEY_COMMANDS } from './api-key-commands.js';
import { BACKUP_COMMANDS } from './backup-commands.js';
import { CERTIFICATE_COMMANDS } from './certificate-commands.js';
import { UsageError, type Command, type CommandInput, type DatabaseCommand, type SettingsCommand } from './command.js';
import { CONSUMER_COMMANDS } from './consumer-commands.js';
import { DNS_COMMANDS } from './dns-command.js';
import { DOCTOR_COMMANDS } from './doctor-command.js';
import { DOMAIN_COMMANDS } from './domain-commands.js';
import { ERASURE_COMMANDS } from './erasure-commands.js';
import { HELD_COMMANDS } from './held-commands.js';
import { INBOUND_COMMANDS } from './inbound-commands.js';
import { LOGIN_LINK_COMMANDS } from './login-link-command.js';
import { MASTER_KEY_COMMANDS } from './master-key-commands.js';
import { PARKED_COMMANDS } from './parked-commands.js';
import { RETENTION_COMMANDS } from './retention-commands.js';
import { QUEUE_COMMANDS } from './queue-commands.js';
import { STATS_COMMANDS } from './stats-commands.js';
import { TLS_REPORT_COMMANDS } from './tls-report-commands.js';

/** Of the longest name of a command. */
const MOST_WORDS = 3;

export const COMMANDS: readonly Command[] = [
  ...ACCOUNT_COMMANDS,
  ...API_KEY_COMMANDS,
  ...LOGIN_LINK_COMMANDS,
  ...DOMAIN_COMMANDS,
  ...QUEUE_COMMANDS,
  ...HELD_COMMANDS,
  ...BACKUP_COMMANDS,
  ...ERASURE_COMMANDS,
  ...INBOUND_COMMANDS,
  ...PARKED_COMMANDS,
  ...CONSUMER_COMMANDS,
  ...RETENTION_COMMANDS,
  ...MASTER_KEY_COMMANDS,
  ...TLS_REPORT_COMMANDS,
  ...STATS_COMMANDS,
  ...CERTIFICATE_COMMANDS,
  ...DOCTOR_COMMANDS,
  ...DNS_COMMANDS,
];

export type Invocation =
  | { kind: 'help' }
  | { kind: 'with_database'; json: boolean; run: ReturnType<DatabaseCommand['prepare']> }
  | { kind: 'with_settings'; json: boolean; run: ReturnType<SettingsCommand['prepareWithSettings']> };

/** Parses the words behind the name of the program, without side effects. @throws UsageError */
export function parseCommandLine(words: string[]): Invocation {
  if (words.includes('--help') || words.includes('-h') || words[0] === 'help') return { kind: 'help' };
  const command = findCommand(words);
  const { json, ...input } = readInput(command, words.slice(command.name.split(' ').length));
  return 'prepare' in command
    ? { kind: 'with_database', json, run: command.prepare(input) }
    : { kind: 'with_settings', json, run: command.prepareWithSettings(input) };
}

export function helpText(): string {
  const entries = COMMANDS.flatMap((command) => {
    const words = [command.name, ...command.positionals.map((name) => `<${name}>`), command.synopsis ?? ''];
    return [`  ${words.join(' ').trimEnd()}`, `      ${command.summary}`];
  });
  return [
    'Administration of Postloft without the dashboard.',
    '',
    'Usage: npm run -s cli -- <command> [options] [--json]',
    '',
    ...entries,
    '',
    '--json prints the answer as one line of JSON. Changes take effect in running programs within a second.',
    'Works on DATABASE_URL where that is set, else on the database in DATA_DIR (./data), running or not.',
    '--version alone prints the version of Postloft.',
    'Exit codes: 0 done, 1 failed, 2 not understood.',
  ].join('\n');
}

function findCommand(words: string[]): Command {
  if (words.length === 0) throw new UsageError('Say what to do, for example: accounts list');
  if (words[0].startsWith('-'))
    throw new UsageError(`The command comes first, options after it; "${words[0]}" is an option.`);
  const command = longestCommand(words);
  if (command !== undefined) return command;
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${words[0]} `)).map(({ name }) => name.split(' ')[1]);
  const single = COMMANDS.find(({ name }) => name === words[0]);
  if (single !== undefined && (group.length === 0 || takesRest(single, words))) return single;
  if (group.length === 0) throw new UsageError(`There is no command "${words[0]}".`);
  if (words.length === 1) throw new UsageError(`"${words[0]}" needs one of ${group.join(', ')} after it.`);
  throw new UsageError(`There is no command "${words[0]} ${words[1]}"; "${words[0]}" has ${group.join(', ')}.`);
}

/** Whether the words behind a name of one word are for this command, not the second word of another. */
const takesRest = ({ positionals }: Command, words: string[]): boolean =>
  positionals.length > 0 || words.length === 1 || words[1].startsWith('-');

/** The command with the longest name that the words begin with, of two words at least. */
function longestCommand(words: string[]): Command | undefined {
  for (let count = Math.min(MOST_WORDS, words.length); count > 1; count--) {
    const command = COMMANDS.find(({ name }) => name === words.slice(0, count).join(' '));
    if (command !== undefined) return command;
  }
  return undefined;
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
    // The first sentence names the option; the rest of the message is advice on quoting.
    const sentence = (error as Error).message.split(/\.\s|\n/, 1)[0].replace(/\.$/, '');
    throw new UsageError(`${sentence}.`);
  }
}
