import { useCallback, useState } from 'react';
import { notifyDone, notifyFailed } from './feedback.tsx';

/**
 * Runs a change, and reports its failure or, with `done`, its success. Returns whether a change is running, and the
 * function.
 */
export function useChange(): [boolean, (run: () => Promise<unknown>, done?: string) => void] {
  const [busy, setBusy] = useState(false);
  const change = useCallback((run: () => Promise<unknown>, done?: string) => {
    setBusy(true);
    run()
      .then(() => done !== undefined && notifyDone(done), notifyFailed)
      .finally(() => setBusy(false));
  }, []);
  return [busy, change];
}
