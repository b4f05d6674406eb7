import { useEffect, useMemo, useState } from 'react';
import { useSubscription } from 'urql';
import { useConnection, type ConnectionPage, type ConnectionState } from '../../api/use-connection.ts';
import {
  EventStreamDocument,
  EventsDocument,
  type EventPartsFragment,
  type EventsQuery,
} from '../../graphql/generated.ts';

const PAGE_SIZE = 50;
/** Live events that are kept; older ones are in the list of the server. */
const MAX_LIVE = 1_000;

/** The newest events of the account: those of the server, and above them those of the subscription. */
export function useEventStream(types: string[] | null, live: boolean): ConnectionState<EventPartsFragment> {
  const earlier = useConnection(EventsDocument, { last: PAGE_SIZE, types, before: null }, newestFirst);
  const [{ data }] = useSubscription({ query: EventStreamDocument, variables: { types }, pause: !live });
  const [arrived, setArrived] = useState<EventPartsFragment[]>([]);
  const key = types?.join() ?? '';
  useEffect(() => setArrived([]), [key]);
  const event = data?.emailEvents;
  useEffect(() => {
    if (event) setArrived((known) => [event, ...known.filter(({ id }) => id !== event.id)].slice(0, MAX_LIVE));
  }, [event]);
  return useMemo(() => {
    const known = new Set(arrived.map(({ id }) => id));
    return { ...earlier, nodes: [...arrived, ...earlier.nodes.filter(({ id }) => !known.has(id))] };
  }, [arrived, earlier]);
}

/** The server lists events oldest first. */
function newestFirst({ events: { nodes, pageInfo } }: EventsQuery): ConnectionPage<EventPartsFragment> {
  return {
    nodes: nodes.toReversed(),
    pageInfo: { hasNextPage: pageInfo.hasPreviousPage, endCursor: pageInfo.startCursor },
  };
}
