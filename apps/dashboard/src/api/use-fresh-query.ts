import { useCallback, useEffect, useRef } from 'react';
import { useOnRecovery } from './outage.ts';
import { useQuery, type AnyVariables, type CombinedError, type TypedDocumentNode } from 'urql';

interface Fresh<D> {
  data: D | undefined;
  error: CombinedError | undefined;
  fetching: boolean;
  refresh: () => void;
}

/**
 * Shows the last response until a new one arrives, also after a failure. Repeats the query every `everyMs` while the page is visible, if it
 * is given.
 */
export function useFreshQuery<D, V extends AnyVariables>(
  query: TypedDocumentNode<D, V>,
  variables: V,
  everyMs: number | null = null,
): Fresh<D> {
  const [{ data, error, fetching }, reload] = useQuery({
    query,
    variables,
    requestPolicy: 'cache-and-network',
  } as never);
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useOnRecovery(refresh);
  useEffect(() => {
    if (everyMs === null) return undefined;
    const timer = window.setInterval(() => {
      if (!document.hidden) refresh();
    }, everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs, refresh]);
  const key = JSON.stringify(variables);
  const known = useRef<{ key: string; data: D } | null>(null);
  if (data !== undefined) known.current = { key, data: data as D };
  const last = known.current?.key === key ? known.current.data : undefined;
  return { data: (data as D | undefined) ?? last, error, fetching, refresh };
}
