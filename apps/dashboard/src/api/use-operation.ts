import { useCallback } from 'react';
import { useClient, type AnyVariables, type TypedDocumentNode } from 'urql';

/** Runs a mutation; the promise rejects with the refusal. */
export function useOperation<D, V extends AnyVariables>(
  document: TypedDocumentNode<D, V>,
): (variables: V) => Promise<D> {
  const client = useClient();
  return useCallback(
    async (variables: V) => {
      const { data, error } = await client.mutation(document, variables).toPromise();
      if (error || !data) throw error ?? new Error('The server returned no data.');
      return data;
    },
    [client, document],
  );
}
