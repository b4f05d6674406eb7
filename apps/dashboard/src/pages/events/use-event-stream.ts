import { useEffect, useState } from 'react';
import { useSubscription } from 'urql';
import { EventStreamDocument, type EventPartsFragment } from '../../graphql/generated.ts';

export interface EventFilter {
  types: string[] | null;
  domainId: string | null;
  emailId: string | null;
  recipient: string | null;
}

/** Live events that are kept on the page. */
const MAX_EVENTS = 1_000;

/** The events that have happened since the page was opened or the filter was changed, newest first. */
export function useEventStream(filter: EventFilter, live: boolean): { events: EventPartsFragment[]; error: unknown } {
  const [{ data, error }] = useSubscription({ query: EventStreamDocument, variables: filter, pause: !live });
  const [events, setEvents] = useState<EventPartsFragment[]>([]);
  const key = JSON.stringify(filter);
  useEffect(() => setEvents([]), [key]);
  const event = data?.emailEvents;
  useEffect(() => {
    if (event) setEvents((known) => [event, ...known.filter(({ id }) => id !== event.id)].slice(0, MAX_EVENTS));
  }, [event]);
  return { events, error: error ?? null };
}
