import 'reflect-metadata';
import { Refusal } from '#libs/contracts';
import { loadConfig, Log, withTimeout, type Config } from '#libs/kernel';
import { pino } from 'pino';
import { openAdministration } from './commands/administration.js';
import { UsageError, type CommandOutput } from './commands/command.js';
import { printOutput } from './commands/output.js';
import { helpText, parseCommandLine, type Invocation } from './commands/parse-command-line.js';

const EXIT = { done: 0, failed: 1, usage: 2 } as const;
/** An embedded database that was started for the command stops within this time. */
const CLOSE_MS = 8_000;
const LINGER_MS = 500;

process.exitCode = await main(process.argv.slice(2));

async function main(words: string[]): Promise<number> {
  try {
    const invocation = parseCommandLine(words);
    switch (invocation.kind) {
      case 'help':
        console.log(helpText());
        return EXIT.done;
      case 'with_database':
        return await runWithDatabase(invocation, loadConfig('cli'));
      case 'with_settings':
        return await runWithSettings(invocation, loadConfig('cli'));
    }
  } catch (error) {
    return explain(error);
  }
}

async function runWithDatabase(
  { run, json }: Extract<Invocation, { kind: 'with_database' }>,
  config: Config,
): Promise<number> {
  // As the programs do: the command may create the data directory.
  process.umask(0o077);
  // Standard output is for the output of the command.
  const level = isVerbose() ? 'debug' : 'warn';
  const log = new Log(pino({ level, base: { program: 'cli' } }, pino.destination({ dest: 2, sync: true })));
  const admin = await openAdministration(config, log);
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= admin.close());
  // An embedded database that was started for this command must not outlive it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void close().finally(() => process.exit(EXIT.failed)));
  }
  try {
    const output = await run(admin);
    await printOutput(output, json);
    return exitCodeOf(output);
  } finally {
    await close();
  }
}

async function runWithSettings(
  { run, json }: Extract<Invocation, { kind: 'with_settings' }>,
  config: Config,
): Promise<number> {
  const output = await run(config);
  await printOutput(output, json);
  await closeInTime(output);
  return exitCodeOf(output);
}

function exitCodeOf({ failed = false }: CommandOutput): number {
  return failed ? EXIT.failed : EXIT.done;
}

/** After the output, pending connections and timers do not delay the end of the process. */
async function closeInTime({ close }: CommandOutput): Promise<void> {
  await withTimeout(close?.(), CLOSE_MS, () => undefined);
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

/** One sentence on standard error; with LOG_LEVEL debug or trace the stack of an unexpected error. */
function explain(error: unknown): number {
  const { message, stack, code } = error as NodeJS.ErrnoException;
  if (error instanceof UsageError) {
    console.error(`${message} See: npm run -s cli -- --help`);
    return EXIT.usage;
  }
  // A refused connection to a name with several addresses has a code but no message.
  console.error(isVerbose() ? stack : message || `The command failed: ${code}.`);
  if (error instanceof Refusal)
    for (const detail of error.details)
      if (!message.includes(detail.message)) console.error(`  ${detail.field} ${detail.message}`);
  return EXIT.failed;
}

function isVerbose(): boolean {
  return ['debug', 'trace'].includes(process.env['LOG_LEVEL'] ?? '');
}
