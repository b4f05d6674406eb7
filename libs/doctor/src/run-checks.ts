import type { Config } from '#libs/kernel';
import type { Database } from '#libs/persistence';
import { skipped, type Check, type CheckResult, type Result } from './check.js';
import { CheckContext } from './context.js';

/** Enough to start a stopped embedded database; every other time limit is below half of it. */
const LIMIT_MS = 18_000;
/** After the abort, checks get this long to end by themselves. */
const GRACE_MS = 1_000;

export interface RunOptions {
  config: Config;
  checks: readonly Check[];
  /** The domain of `--domain`. */
  domain: string | null;
  /** Checks that take longer than this many milliseconds are reported as skipped. */
  limitMs?: number;
  /** The open database of a running program; it stays open. Otherwise the checks open the database of the installation. */
  database?: Database;
  /** Called once for each check when it has ended. */
  onResults?: (check: string, results: CheckResult[]) => void;
}

export interface CheckRun {
  /** In the order of the checks. */
  results: CheckResult[];
  /** Releases what the checks opened. */
  close(): Promise<void>;
}

/** Runs all checks concurrently, since they mostly wait for the network. Never rejects, and ends within the limit. */
export async function runChecks(options: RunOptions): Promise<CheckRun> {
  const { config, checks, limitMs = LIMIT_MS } = options;
  const limit = new AbortController();
  const context = new CheckContext({ signal: limit.signal, ...options });
  const timers: NodeJS.Timeout[] = [];
  const timeout = new Promise<Result[]>((resolve) => {
    timers.push(
      setTimeout(() => limit.abort(), limitMs),
      setTimeout(() => resolve([timedOut(limitMs)]), limitMs + GRACE_MS),
    );
  });
  const isCapturing = config.settings.DELIVERY_MODE === 'capture';
  const running = checks.map(async (check): Promise<CheckResult[]> => {
    const results = await Promise.race([runCheck(check, context), timeout]);
    const reported = isCapturing && check.isAboutDelivery === true ? results.map(downgrade) : results;
    const named = reported.map((result) => ({ check: check.name, ...result }));
    options.onResults?.(check.name, named);
    return named;
  });
  const results = (await Promise.all(running)).flat();
  timers.forEach(clearTimeout);
  return { results, close: () => context.close() };
}

async function runCheck(check: Check, context: CheckContext): Promise<Result[]> {
  try {
    return await check.run(context);
  } catch (problem) {
    const { message, code } = problem as NodeJS.ErrnoException;
    const reason = (message || code) ?? String(problem);
    return [skipped({ subject: check.title, message: `This could not be looked at: ${reason.split('\n', 1)[0]}` })];
  }
}

const timedOut = (limitMs: number): Result =>
  skipped({ subject: 'time', message: `Not all of it answered within ${limitMs / 1000} s.` });

/** While mail is only captured, a fault of delivery loses no mail. */
const downgrade = (result: Result): Result => (result.status === 'error' ? { ...result, status: 'warning' } : result);
