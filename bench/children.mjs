// Child processes of the benchmark. Each one is stopped by its own handle, also if the benchmark is interrupted.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

const ENDING_MS = 12_000;
const OUTPUT_KEPT = 20_000;

/** @typedef {{ child: import('node:child_process').ChildProcess, output: () => string }} Running */

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/** @param {import('node:child_process').ChildProcess} child @returns {Running} */
function keep(child) {
  let output = '';
  running.add(child);
  child.once('exit', () => running.delete(child));
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => (output = (output + String(chunk)).slice(-OUTPUT_KEPT)));
  return { child, output: () => output };
}

/** @param {string} command @param {string[]} args @param {import('node:child_process').SpawnOptions} options */
export function startCommand(command, args, options = {}) {
  return keep(spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options }));
}

/** Starts a module with a channel for messages. @param {URL} module @param {unknown} [argument] */
export function startModule(module, argument) {
  const options = /** @type {import('node:child_process').ForkOptions} */ ({
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  return keep(fork(module, argument === undefined ? [] : [JSON.stringify(argument)], options));
}

/**
 * Runs a module that sends one message and exits.
 * @template T
 * @param {URL} module @param {unknown} argument @param {number} withinMs
 * @returns {Promise<T>}
 */
export async function runModule(module, argument, withinMs) {
  const started = startModule(module, argument);
  try {
    return await nextMessage(started, () => true, withinMs);
  } finally {
    await end(started.child);
  }
}

/**
 * @template T
 * @param {Running} started @param {(message: any) => boolean} wanted @param {number} withinMs
 * @returns {Promise<T>} the first wanted message; rejects if the process exits or the time is over
 */
export function nextMessage({ child, output }, wanted, withinMs) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(() => reject(failure('did not answer in time'))), withinMs);
    const failure = (/** @type {string} */ what) =>
      new Error(`${child.spawnargs[1]} ${what}: ${output().slice(-2_000)}`);
    const onMessage = (/** @type {any} */ message) => wanted(message) && settle(() => resolve(message));
    const onExit = () => settle(() => reject(failure('exited too early')));
    const settle = (/** @type {() => void} */ then) => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit);
      then();
    };
    child.on('message', onMessage).once('exit', onExit);
  });
}

/** Sends SIGTERM, then SIGKILL to a process that ignores it. @param {import('node:child_process').ChildProcess} child */
export async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), ENDING_MS);
  await exited;
  clearTimeout(timer);
}

/** @type {Set<() => Promise<void>>} */
const stops = new Set();

/**
 * For resources that need more than a signal: `endAll` calls `stop` too, and it is called once only.
 * @param {() => Promise<void>} stop @returns {() => Promise<void>}
 */
export function stopOnce(stop) {
  const stopNow = async () => {
    if (stops.delete(stopNow)) await stop();
  };
  stops.add(stopNow);
  return stopNow;
}

/** Stops everything that is still running, for an interrupted benchmark. */
export async function endAll() {
  await Promise.allSettled([...stops].map((stop) => stop()));
  await Promise.all([...running].map(end));
}

/**
 * @template T
 * @param {() => Promise<T | null | false>} check @param {string} what @param {number} withinMs
 * @returns {Promise<T>}
 */
export async function until(check, what, withinMs) {
  const last = performance.now() + withinMs;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (performance.now() > last) throw new Error(`timeout: waited ${withinMs / 1000} s for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** @param {number} port @returns {Promise<boolean>} whether the port is free */
const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** Ports below the ephemeral range, so that no outgoing connection can take them. @param {number} count */
export async function freePorts(count) {
  /** @type {number[]} */ const found = [];
  while (found.length < count) {
    const candidate = 10_000 + Math.floor(Math.random() * 20_000);
    if (!found.includes(candidate) && (await isFree(candidate))) found.push(candidate);
  }
  return found;
}
