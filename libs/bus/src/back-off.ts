const LADDER_MS = [100, 250, 500, 1_000, 2_000, 5_000];

/** How long to wait after so many failures in a row, in milliseconds. */
export function backOff(failures: number): number {
  return LADDER_MS[Math.min(Math.max(failures, 1), LADDER_MS.length) - 1];
}

/** Waits, or returns early when `signal` fires. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
