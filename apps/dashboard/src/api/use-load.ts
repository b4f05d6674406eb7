import { useCallback, useEffect, useState } from 'react';

export interface Loaded<T> {
  data: T | null;
  error: unknown;
  reload: () => void;
}

/** Loads once per `key`, and again on `reload`; the data stays visible meanwhile. */
export function useLoad<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; data: T | null; error: unknown }>({ key, data: null, error: null });
  const [round, setRound] = useState(0);
  useEffect(() => {
    let current = true;
    load().then(
      (data) => current && setState({ key, data, error: null }),
      (error: unknown) => current && setState({ key, data: null, error }),
    );
    return () => {
      current = false;
    };
    // `load` is a new function on every render; `key` says what it loads.
  }, [key, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  return state.key === key ? { ...state, reload } : { data: null, error: null, reload };
}
