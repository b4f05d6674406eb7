import { useEffect, useRef } from 'react';
import { useSubscription } from 'urql';
import { EmailEventsDocument } from '../graphql/generated.ts';
import { useSession } from './session.tsx';

/** For roles that do not see events, which hold content. */
const REPEAT_MS = 5_000;

/** Reloads a list after events of emails, at most once per interval. */
export function useReloadOnEvents(reload: () => void, { everyMs, pause }: { everyMs: number; pause: boolean }): void {
  const streams = useSession().may('emails.read');
  const [{ data }] = useSubscription({ query: EmailEventsDocument, variables: {}, pause: pause || !streams });
  useEffect(() => {
    if (pause || streams) return undefined;
    const repeat = window.setInterval(reload, REPEAT_MS);
    return () => window.clearInterval(repeat);
  }, [pause, streams, reload]);
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
