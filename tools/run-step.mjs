// Runs a program as one step of a longer command. Prints progress if it takes longer than two seconds, and stops it
// when this process is stopped or its parent exits.
import { spawn } from 'node:child_process';

const FIRST_PROGRESS_MS = 2_000;
const NEXT_PROGRESS_MS = 10_000;

/**
 * @param {{ name: string, command: string[], cwd?: string, env?: NodeJS.ProcessEnv, stdio?: import('node:child_process').StdioOptions, quiet?: boolean }} step
 *   quiet: print nothing at the beginning and the end. Standard output of the program goes to standard error by default.
 * @throws if the program cannot be started (with `code`) or its exit code is not 0
 */
export async function runStep({ name, command, cwd, env, stdio = ['ignore', 2, 2], quiet = false }) {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  if (!quiet) console.error(`${name} …`);
  const child = spawn(command[0], command.slice(1), { cwd, env, stdio });
  const stop = () => child.kill('SIGTERM');
  const onSignal = (signal) => {
    stop();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  const parent = process.ppid;
  const watch = setInterval(() => process.ppid !== parent && onSignal('SIGTERM'), 500);
  const progress = repeat(() => console.error(`… ${name.replace(/ \(.*/, '')}: ${seconds()} s`));
  try {
    const [code, signal] = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (...result) => resolve(result));
    });
    if (code !== 0) throw new Error(`${name} failed (${signal ?? `exit code ${code}`}).`);
    if (!quiet && seconds() >= FIRST_PROGRESS_MS / 1000)
      console.error(`${name.replace(/ \(.*/, '')}: done in ${seconds()} s`);
  } finally {
    clearInterval(watch);
    progress.stop();
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
  }
}

function repeat(print) {
  let timer = setTimeout(function again() {
    print();
    timer = setTimeout(again, NEXT_PROGRESS_MS);
  }, FIRST_PROGRESS_MS);
  return { stop: () => clearTimeout(timer) };
}
