import { useEffect, useState } from 'react';
import { useSubscription } from 'urql';
import type { ConnectionState } from '../../api/use-connection.ts';
import { EventStreamDocument, type EventStreamSubscription } from '../../graphql/generated.ts';

export type StreamedEvent = EventStreamSubscription['emailEvents'];

/** Events that are kept on the page. */
const MAX_EVENTS = 1_000;

/** The events that have happened since the page was opened, newest first. */
export function useEventStream(types: string[] | null, live: boolean): ConnectionState<StreamedEvent> {
  const [{ data, error }] = useSubscription({ query: EventStreamDocument, variables: { types }, pause: !live });
  const [events, setEvents] = useState<StreamedEvent[]>([]);
  const key = types?.join() ?? '';
  useEffect(() => setEvents([]), [key]);
  const event = data?.emailEvents;
  useEffect(() => {
    if (event) setEvents((known) => [event, ...known.filter(({ id }) => id !== event.id)].slice(0, MAX_EVENTS));
  }, [event]);
  const nothing = () => undefined;
  return {
    nodes: events,
    loading: false,
    loadingMore: false,
    hasMore: false,
    error: error ?? null,
    loadMore: nothing,
    reload: nothing,
    onFirstPage: true,
  };
}
