import 'reflect-metadata';
import { loadConfig, Log, type Config } from '#libs/kernel';
import { pino } from 'pino';
import { openAdministration } from './cli/administration.js';
import type { CommandOutput } from './cli/command.js';
import { helpText } from './cli/help-text.js';
import { COMMANDS, parseCommandLine, type Order } from './cli/parse-command-line.js';
import { UsageError } from './cli/usage-error.js';

const EXIT = { done: 0, failed: 1, misunderstood: 2 } as const;
/** A database that was started for a look stops in this time. */
const CLOSE_MS = 8_000;
const LINGER_MS = 500;

process.exitCode = await main(process.argv.slice(2));

async function main(words: string[]): Promise<number> {
  try {
    const order = parseCommandLine(words);
    if (order.kind !== 'help') return await obey(order);
    console.log(helpText(COMMANDS));
    return EXIT.done;
  } catch (error) {
    return explain(error);
  }
}

async function obey(order: Exclude<Order, { kind: 'help' }>): Promise<number> {
  const config = loadConfig('cli');
  if (order.kind === 'run') return administer(order, config);
  const output = await order.run(config);
  const code = await print(output, order.json);
  await closeInTime(output);
  return code;
}

async function administer(order: Extract<Order, { kind: 'run' }>, config: Config): Promise<number> {
  // Standard output belongs to the answer.
  const level = isVerbose() ? 'debug' : 'warn';
  const log = new Log(pino({ level, base: { program: 'cli' } }, pino.destination({ dest: 2, sync: true })));
  const admin = await openAdministration(config, log);
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= admin.close());
  // A database that was started for this command must not outlive it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void close().finally(() => process.exit(EXIT.failed)));
  }
  try {
    return await print(await order.run(admin), order.json);
  } finally {
    await close();
  }
}

async function print({ json, text, raw, failed = false }: CommandOutput, asJson: boolean): Promise<number> {
  if (asJson) console.log(JSON.stringify(json));
  else if (raw === undefined || process.stdout.isTTY) console.log(text);
  else await writeOut(raw);
  return failed ? EXIT.failed : EXIT.done;
}

/** What still waits for somebody else when the answer is out is not waited for. */
async function closeInTime({ close }: CommandOutput): Promise<void> {
  const limit = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref());
  await Promise.race([close?.(), limit]);
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

/** Into a pipe or a file: what has not left when the process ends would be lost. A reader who closes has seen enough. */
function writeOut(raw: Buffer): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.once('error', () => resolve());
    process.stdout.write(raw, () => resolve());
  });
}

/** One sentence on stderr; the stack as well where somebody looks for a mistake of ours. */
function explain(error: unknown): number {
  const { message, stack, code } = error as NodeJS.ErrnoException;
  if (error instanceof UsageError) {
    console.error(`${message} See: npm run -s cli -- --help`);
    return EXIT.misunderstood;
  }
  // A refused connection to a name with several addresses has a code but no message.
  console.error(isVerbose() ? stack : message || `The command failed: ${code}.`);
  return EXIT.failed;
}

function isVerbose(): boolean {
  return ['debug', 'trace'].includes(process.env['LOG_LEVEL'] ?? '');
}
