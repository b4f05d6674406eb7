export const DAY_S = 86_400;
const MONTH_S = 30 * DAY_S;
/** A day may have 23 hours and a month 28 days. */
const TOLERANCE = 0.9;

/** Seconds between the beginnings of two periods; 0 with fewer. */
export const stepOf = ([first = 0, second = first]: readonly number[]): number => second - first;

type Precision = 'time' | 'day' | 'month';

export function precisionOf(step: number): Precision {
  if (step < DAY_S * TOLERANCE) return 'time';
  return step < MONTH_S * TOLERANCE ? 'day' : 'month';
}

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const MONTH = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric' });

/** The period that begins at `seconds`, in the time zone of the browser. */
export function formatPeriod(seconds: number, step: number): string {
  const date = new Date(seconds * 1_000);
  switch (precisionOf(step)) {
    case 'time':
      return `${DAY.format(date)}, ${CLOCK.format(date)}`;
    case 'day':
      return DAY.format(date);
    case 'month':
      return MONTH.format(date);
  }
}

/** Labels of the time axis; of the clock with the day below the first label of each day. */
export function tickLabels(ticks: readonly number[], step: number): string[] {
  if (precisionOf(step) !== 'time') return ticks.map((tick) => formatPeriod(tick, step));
  let previous = '';
  return ticks.map((seconds) => {
    const date = new Date(seconds * 1_000);
    const day = DAY.format(date);
    const label = day === previous ? CLOCK.format(date) : `${CLOCK.format(date)}\n${day}`;
    previous = day;
    return label;
  });
}
