import { createContext, Script } from 'node:vm';

/** Ends code that hangs, so that a test fails instead of the whole run. Far above what linear work takes. */
const HANG_MS = 10_000;
/** One for all calls: a context takes longer to create than most parsers take for their text. */
const context = createContext({}) as { run?: () => unknown };
const call = new Script('run()');

/**
 * Runs synchronous code and returns its value. Throws ERR_SCRIPT_EXECUTION_TIMEOUT where it hangs, also inside a regular
 * expression.
 */
export function mustReturn<T>(run: () => T, withinMs = HANG_MS): T {
  context.run = run;
  return call.runInContext(context, { timeout: withinMs }) as T;
}
