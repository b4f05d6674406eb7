/** A prime: times that lie whole hours or days apart must not share a place. */
const PLACES = 251;
const times = new Float64Array(PLACES).fill(Number.NaN);
const texts = Array.from({ length: PLACES }, () => '');

/**
 * `date.toISOString()` for what is written down at every mail: its times stand in several rows and events, within
 * milliseconds, and V8 formats each by way of `printf`.
 * @throws RangeError for an invalid date.
 */
export function isoTime(date: Date): string {
  const time = date.getTime();
  const place = Math.abs(time % PLACES);
  if (times[place] !== time) {
    texts[place] = date.toISOString();
    times[place] = time;
  }
  return texts[place];
}
