const MINUTE_MS = 60_000;
/** The last minute that a 32-bit DateTime can represent. */
const LAST_MINUTE_MS = Math.floor((2 ** 32 - 1) / 60) * MINUTE_MS;

/** Milliseconds since 1970; each pair is half-open. */
export interface SplitWindow {
  /** Whole minutes, read from the roll-up; may be empty. */
  minutes: [number, number];
  /** The remainder before and after them, read from the events. */
  head: [number, number];
  tail: [number, number];
}

/** Splits [from, to) so that the roll-up serves as much as possible and the edges are exact to the millisecond. */
export function splitWindow(from: Date, to: Date): SplitWindow {
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
