import { useEffect } from 'react';
import { useQuery, type AnyVariables, type TypedDocumentNode } from 'urql';

interface Polled<D> {
  data: D | undefined;
  error: unknown;
  refresh: () => void;
}

/** Runs a query, and repeats it every `everyMs` while the page is visible; null runs it once. */
export function usePolledQuery<D, V extends AnyVariables>(
  query: TypedDocumentNode<D, V>,
  variables: V,
  everyMs: number | null,
): Polled<D> {
  const [{ data, error }, reload] = useQuery({ query, variables, requestPolicy: 'cache-and-network' } as never);
  useEffect(() => {
    if (everyMs === null) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) reload({ requestPolicy: 'network-only' });
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, reload]);
  return { data: data as D | undefined, error, refresh: () => reload({ requestPolicy: 'network-only' }) };
}
