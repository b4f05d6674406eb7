import { useEffect, useMemo, useRef, useState } from 'react';
import { useSubscription } from 'urql';
import { AccountLiveDocument, type AccountLiveSubscription } from '../../graphql/generated.ts';

interface Hour {
  period: string | null;
  accepted: number | null;
  delivered: number | null;
  bounced: number | null;
}

type Counts = Pick<AccountLiveSubscription['accountStats'], 'accepted' | 'delivered' | 'bounced'>;

const HOURS = 24;
const HOUR_S = 3_600;

/**
 * Counts per hour: loaded once, then moved by the subscription, whose counts are sums of 24 hours. What such a sum grows by
 * belongs to the current hour; what falls out of the window is older than the chart.
 */
export function useThroughput(hours: readonly Hour[]): { times: number[] } & Record<keyof Counts, number[]> {
  const [{ data }] = useSubscription({ query: AccountLiveDocument });
  const previous = useRef<Counts | null>(null);
  const [added, setAdded] = useState<Map<number, Counts>>(new Map());
  const stats = data?.accountStats;
  useEffect(() => {
    if (!stats) return;
    const before = previous.current;
    previous.current = stats;
    if (before === null) return;
    const hour = startOfHour(Date.now() / 1_000);
    setAdded((known) => new Map(known).set(hour, grown(known.get(hour), before, stats)));
  }, [stats]);
  return useMemo(() => {
    const loaded = new Map(hours.map((hour) => [startOfHour(Date.parse(hour.period ?? '') / 1_000), hour]));
    const now = startOfHour(Date.now() / 1_000);
    const times = Array.from({ length: HOURS }, (_, i) => now - (HOURS - 1 - i) * HOUR_S);
    const of = (name: keyof Counts) =>
      times.map((time) => (loaded.get(time)?.[name] ?? 0) + (added.get(time)?.[name] ?? 0));
    return { times, accepted: of('accepted'), delivered: of('delivered'), bounced: of('bounced') };
  }, [hours, added]);
}

const startOfHour = (seconds: number): number => Math.floor(seconds / HOUR_S) * HOUR_S;

function grown(known: Counts | undefined, before: Counts, now: Counts): Counts {
  const growth = (name: keyof Counts) => (known?.[name] ?? 0) + Math.max(0, now[name] - before[name]);
  return { accepted: growth('accepted'), delivered: growth('delivered'), bounced: growth('bounced') };
}
