const MINUTE_MS = 60_000;
/** The last minute that a 32-bit DateTime can name. */
const LAST_MINUTE_MS = Math.floor((2 ** 32 - 1) / 60) * MINUTE_MS;

/** Milliseconds since 1970; each pair is half open. */
export interface StatsWindow {
  /** Whole minutes, counted from the roll-up. Empty when the window has none. */
  minutes: [number, number];
  /** What is left before and after them, counted from the events themselves. */
  head: [number, number];
  tail: [number, number];
}

/** Cuts [from, to) so that the roll-up serves as much of it as it can and the edges stay exact to the millisecond. */
export function statsWindow(from: Date, to: Date): StatsWindow {
  const start = from.getTime();
  const end = Math.max(start, to.getTime());
  const first = clamp(Math.ceil(start / MINUTE_MS) * MINUTE_MS);
  const last = clamp(Math.floor(end / MINUTE_MS) * MINUTE_MS);
  if (last <= first) return { minutes: [0, 0], head: [start, end], tail: [end, end] };
  return { minutes: [first, last], head: [start, Math.max(start, first)], tail: [Math.min(end, last), end] };
}

function clamp(ms: number): number {
  return Math.min(Math.max(ms, 0), LAST_MINUTE_MS);
}
