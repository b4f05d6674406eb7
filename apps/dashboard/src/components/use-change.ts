import { useCallback, useState } from 'react';
import { notifyDone, notifyFailed } from './feedback.tsx';

/** Runs a change and says that it is done, or why it was refused. Returns whether one is running, and the function. */
export function useChange(): [boolean, (run: () => Promise<void>, done: string) => void] {
  const [busy, setBusy] = useState(false);
  const change = useCallback((run: () => Promise<void>, done: string) => {
    setBusy(true);
    run()
      .then(() => notifyDone(done), notifyFailed)
      .finally(() => setBusy(false));
  }, []);
  return [busy, change];
}
