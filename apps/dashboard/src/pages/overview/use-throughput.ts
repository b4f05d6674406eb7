import { useEffect, useMemo, useRef, useState } from 'react';
import type { useLiveCounts } from './use-live-counts.ts';

interface Period {
  period: string | null;
  accepted: number | null;
  delivered: number | null;
  bounced: number | null;
}

type Name = 'accepted' | 'delivered' | 'bounced';
type Counts = Record<Name, number>;

export const WINDOWS = {
  '24 hours': { granularity: 'hour', seconds: 3_600, count: 24 },
  '60 minutes': { granularity: 'minute', seconds: 60, count: 60 },
} as const;
export type Window = keyof typeof WINDOWS;

const TICK_MS = 5_000;

/**
 * Counts per hour or minute: loaded once, then updated by the subscription, whose counts cover 24 hours. Their growth belongs to the current period; what drops out of them is older than the chart.
 */
export function useThroughput(
  periods: readonly Period[],
  live: ReturnType<typeof useLiveCounts>,
  window: Window,
): { times: number[]; now: number } & Record<Name, number[]> {
  const { seconds, count } = WINDOWS[window];
  const [added, setAdded] = useState<Map<number, Counts>>(new Map());
  const previous = useRef<Counts | null>(null);
  const now = useNow();
  // The loaded rows contain those added before.
  useEffect(() => setAdded(new Map()), [periods]);
  useEffect(() => {
    if (!live) return;
    const before = previous.current;
    previous.current = live;
    if (before === null) return;
    const at = startOf(Date.now() / 1_000, seconds);
    setAdded((known) => new Map(known).set(at, grown(known.get(at), before, live)));
  }, [live, seconds]);
  return useMemo(() => {
    const loaded = new Map(periods.map((one) => [startOf(Date.parse(one.period ?? '') / 1_000, seconds), one]));
    const last = startOf(now / 1_000, seconds);
    const times = Array.from({ length: count }, (_, i) => last - (count - 1 - i) * seconds);
    const of = (name: Name) => times.map((time) => (loaded.get(time)?.[name] ?? 0) + (added.get(time)?.[name] ?? 0));
    return { times, now: now / 1_000, accepted: of('accepted'), delivered: of('delivered'), bounced: of('bounced') };
  }, [periods, added, seconds, count, now]);
}

/** The current time, updated so that an idle chart moves too. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = globalThis.setInterval(() => setNow(Date.now()), TICK_MS);
    return () => globalThis.clearInterval(timer);
  }, []);
  return now;
}

const startOf = (at: number, seconds: number): number => Math.floor(at / seconds) * seconds;

function grown(known: Counts | undefined, before: Counts, now: Counts): Counts {
  const growth = (name: Name) => (known?.[name] ?? 0) + Math.max(0, now[name] - before[name]);
  return { accepted: growth('accepted'), delivered: growth('delivered'), bounced: growth('bounced') };
}
