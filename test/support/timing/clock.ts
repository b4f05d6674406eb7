const now = performance.now.bind(performance);
let ahead = 0;

/**
 * Sets the clock by which this process remembers answers (`performance.now()`) ahead. Timers are not affected. The clock
 * never goes back, because other files of the worker go on with services that have seen the time.
 */
export function passTime(ms: number): void {
  ahead += ms;
  performance.now = () => now() + ahead;
}
