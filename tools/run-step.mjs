// One step of a longer command: runs a program, says that it goes on when it takes longer than two seconds, and ends it
// when this process is asked to end or is left alone by its parent.
import { spawn } from 'node:child_process';

const FIRST_WORD_MS = 2_000;
const NEXT_WORD_MS = 10_000;

/**
 * @param {{ name: string, command: string[], cwd?: string, env?: NodeJS.ProcessEnv, stdio?: import('node:child_process').StdioOptions, quiet?: boolean }} step
 *   quiet: say nothing at the beginning. Standard output of the program goes to our standard error unless `stdio` says else.
 * @throws when the program cannot be started (with `code`) or does not end with 0
 */
export async function runStep({ name, command, cwd, env, stdio = ['ignore', 2, 2], quiet = false }) {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  if (!quiet) console.error(`${name} …`);
  const child = spawn(command[0], command.slice(1), { cwd, env, stdio });
  const end = () => child.kill('SIGTERM');
  const onSignal = (signal) => {
    end();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  const parent = process.ppid;
  const watch = setInterval(() => process.ppid !== parent && onSignal('SIGTERM'), 500);
  const words = sayNowAndThen(() => console.error(`… ${name.replace(/ \(.*/, '')}: ${seconds()} s`));
  try {
    const [code, signal] = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (...how) => resolve(how));
    });
    if (code !== 0) throw new Error(`${name} failed (${signal ?? `exit code ${code}`}).`);
    if (!quiet && seconds() >= FIRST_WORD_MS / 1000)
      console.error(`${name.replace(/ \(.*/, '')}: done in ${seconds()} s`);
  } finally {
    clearInterval(watch);
    words.stop();
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
  }
}

function sayNowAndThen(say) {
  let timer = setTimeout(function again() {
    say();
    timer = setTimeout(again, NEXT_WORD_MS);
  }, FIRST_WORD_MS);
  return { stop: () => clearTimeout(timer) };
}
