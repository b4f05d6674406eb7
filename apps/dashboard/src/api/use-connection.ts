import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient, type AnyVariables, type TypedDocumentNode } from 'urql';

export interface ConnectionPage<N> {
  nodes: N[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export interface ConnectionState<N> {
  nodes: N[];
  /** True until the first page has arrived. */
  loading: boolean;
  loadingMore: boolean;
  hasMore: boolean;
  error: unknown;
  loadMore: () => void;
  /** Reloads the first page and drops the others. */
  reload: () => void;
  /** True while only the first page is shown, so that `reload` does not move what is being read. */
  onFirstPage: boolean;
}

interface State<N> extends ConnectionPage<N> {
  key: string;
  pages: number;
  error: unknown;
}

/** Entries that are loaded at once. */
export const PAGE_SIZE = 50;

/** A list that grows by pages, from its end if `last` is among the variables. Starts over when the variables change; entries stay visible during a reload. */
export function useConnection<D, V extends AnyVariables, N>(
  document: TypedDocumentNode<D, V>,
  variables: Omit<V, 'first' | 'after'>,
  pick: (data: D) => ConnectionPage<N>,
): ConnectionState<N> {
  const client = useClient();
  const key = JSON.stringify(variables);
  const [state, setState] = useState<State<N> | null>(null);
  const [loadingMore, setLoadingMore] = useState(false);
  const round = useRef(0);

  const load = useCallback(
    async (after: string | null) => {
      const mine = after === null ? ++round.current : round.current;
      const first = 'last' in variables ? undefined : PAGE_SIZE;
      const request = { first, ...(JSON.parse(key) as object), after } as unknown as V;
      const { data, error } = await client.query(document, request, { requestPolicy: 'network-only' }).toPromise();
      // A newer filter or reload supersedes this response.
      if (mine !== round.current) return;
      setState((before) => {
        const known = before?.key === key ? before : null;
        if (!data) {
          const nothing = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null }, pages: 0 };
          return { ...(known ?? nothing), key, error };
        }
        const page = pick(data);
        const earlier = after === null ? [] : (known?.nodes ?? []);
        return {
          ...page,
          nodes: [...earlier, ...page.nodes],
          key,
          error: null,
          pages: after === null ? 1 : (known?.pages ?? 0) + 1,
        };
      });
    },
    // `pick` is a new function on every render, but does the same for a document.
    [client, document, key],
  );

  useEffect(() => void load(null), [load]);
  const current = state?.key === key ? state : null;
  const cursor = current?.pageInfo.hasNextPage ? current.pageInfo.endCursor : null;
  const loadMore = useCallback(() => {
    if (loadingMore || cursor === null) return;
    setLoadingMore(true);
    void load(cursor).finally(() => setLoadingMore(false));
  }, [cursor, load, loadingMore]);
  const reload = useCallback(() => void load(null), [load]);
  return {
    nodes: current?.nodes ?? [],
    loading: current === null,
    loadingMore,
    hasMore: cursor !== null,
    error: current?.error ?? null,
    loadMore,
    reload,
    onFirstPage: (current?.pages ?? 0) <= 1,
  };
}

interface Response<D> {
  data: D | null | undefined;
  error: unknown;
}

/** The rows of a response that is not divided into pages, as a list. Earlier rows stay visible if a reload fails. */
export function rowsOf<D, N>(
  { data, error }: Response<D>,
  pick: (data: D) => readonly N[],
  reload: () => void,
): ConnectionState<N> {
  const hasData = data !== null && data !== undefined;
  return {
    nodes: hasData ? [...pick(data)] : [],
    loading: !hasData && !error,
    loadingMore: false,
    hasMore: false,
    error: hasData ? null : (error ?? null),
    loadMore: () => {},
    reload,
    onFirstPage: true,
  };
}
