import { useEffect, useSyncExternalStore } from 'react';

/** A part of the process, as in `/app/api/health`. */
export interface Part {
  part: string;
  /** Null if it is ready. */
  reason: string | null;
  since: string | null;
}

/** The server cannot do its work, or does not answer. */
export interface Outage {
  /** For operators all parts, otherwise those that are not ready; empty if the server cannot be reached. */
  parts: readonly Part[];
  /** When this page noticed it. */
  noticedAt: string;
}

const RETRY_MS = 3_000;
/** While nothing fails: a full disk fails no request that reads. */
const WATCH_MS = 30_000;
/** The page itself comes first. */
const FIRST_WATCH_MS = 1_500;
const LIMIT_MS = 5_000;

let outage: Outage | null = null;
let isChecking = false;
const listeners = new Set<() => void>();
const recoveries = new Set<() => void>();

/** Checks the server after a failed request, every few seconds until it is ready again. */
export function noticeTrouble(status: number): void {
  // Other refusals say nothing of the server.
  if (isChecking || (status !== 0 && status < 500)) return;
  isChecking = true;
  void check();
}

/** Checks the server from time to time, whether or not a request has failed. */
export function useWatch(): void {
  useEffect(() => {
    const watch = () => {
      if (!document.hidden) noticeTrouble(0);
    };
    const first = window.setTimeout(watch, FIRST_WATCH_MS);
    const timer = window.setInterval(watch, WATCH_MS);
    return () => {
      window.clearTimeout(first);
      window.clearInterval(timer);
    };
  }, []);
}

/** Whether the pages can still be read: mail is not accepted, for example, but the database answers. */
export const isReadable = (found: Outage | null): boolean =>
  found === null || (found.parts.length > 0 && !found.parts.some(({ part, reason }) => part === 'database' && reason));

/** Calls back whenever an outage has ended. */
export function onRecovery(listener: () => void): () => void {
  recoveries.add(listener);
  return () => recoveries.delete(listener);
}

/** The present outage; null if there is none. */
export const useOutage = (): Outage | null => useSyncExternalStore(subscribe, () => outage);

/** Repeats what failed once an outage has ended. */
export function useOnRecovery(repeat: (() => void) | undefined): void {
  useEffect(() => (repeat ? onRecovery(repeat) : undefined), [repeat]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

async function check(): Promise<void> {
  const found = await readHealth();
  if (found?.ready) {
    isChecking = false;
    const hasEnded = outage !== null;
    show(null);
    if (hasEnded) for (const repeat of recoveries) repeat();
    return;
  }
  show({ parts: found?.parts ?? [], noticedAt: outage?.noticedAt ?? new Date().toISOString() });
  setTimeout(() => void check(), RETRY_MS);
}

function show(next: Outage | null): void {
  if (next === outage) return;
  outage = next;
  for (const listener of listeners) listener();
}

/** Null if the server cannot be reached. */
async function readHealth(): Promise<{ ready: boolean; parts: Part[] } | null> {
  try {
    const response = await fetch('/app/api/health', { signal: AbortSignal.timeout(LIMIT_MS) });
    return response.ok ? ((await response.json()) as { ready: boolean; parts: Part[] }) : null;
  } catch {
    return null;
  }
}
