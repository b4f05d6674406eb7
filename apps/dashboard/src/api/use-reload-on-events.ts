import { useEffect, useRef } from 'react';
import { useSubscription } from 'urql';
import { EmailEventsDocument } from '../graphql/generated.ts';

/** Reloads a list after events of messages, at most once per interval. */
export function useReloadOnEvents(reload: () => void, { everyMs, pause }: { everyMs: number; pause: boolean }): void {
  const [{ data }] = useSubscription({ query: EmailEventsDocument, variables: {}, pause });
  const timer = useRef<number | null>(null);
  const handled = useRef<string | undefined>(undefined);
  const id = data?.emailEvents.id;
  useEffect(() => {
    if (id === handled.current || timer.current !== null) return;
    handled.current = id;
    timer.current = window.setTimeout(() => {
      timer.current = null;
      reload();
    }, everyMs);
  }, [id, reload, everyMs]);
  // A reload of earlier filters would overtake that of the present ones.
  useEffect(
    () => () => {
      if (timer.current !== null) window.clearTimeout(timer.current);
      timer.current = null;
    },
    [reload],
  );
}
