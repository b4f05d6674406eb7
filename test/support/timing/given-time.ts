import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

const EVERY_MS = 100;
/** As in proc(5): of all processors together, in 1/100 s, the eighth figure is what the host of this machine took. */
const STEAL = 8;
const MS_PER_TICK = 10;

/**
 * Time as the host of a virtual machine gave it: a second in which it kept half of the processors' time from work that
 * was waiting counts as half a second. What waits for something else than a processor waits in whole seconds. On a
 * machine of its own, or where the kernel does not tell, it is the time of the wall.
 */
export class GivenTime {
  private readonly marks: { at: number; given: number }[];
  private counted = 0;

  /** @param at of the wall, in ms, as all times here */
  constructor(at: number) {
    this.marks = [{ at, given: 0 }];
  }

  /** Follows the kernel's count until the function that is returned is called. */
  static follow(): { time: GivenTime; stop: () => void } {
    const before = stolenMs();
    const time = new GivenTime(Date.now());
    const timer = setInterval(() => time.mark(Date.now(), stolenMs() - before), EVERY_MS);
    return { time, stop: () => clearInterval(timer) };
  }

  /** @param takenMs what the host has taken since the start, in ms of the average processor */
  mark(at: number, takenMs: number): void {
    const last = this.marks[this.marks.length - 1];
    const passed = at - last.at;
    // The kernel may count more at once than has passed since it last did; the rest falls on what comes.
    const taken = Math.min(passed, takenMs - this.counted);
    this.counted += taken;
    this.marks.push({ at, given: last.given + passed - taken });
  }

  /** Given milliseconds from one time of the wall to another. */
  between(from: number, to: number): number {
    return this.givenAt(to) - this.givenAt(from);
  }

  /** Which share of the time up to the last mark the host took, 0 to 1. */
  get taken(): number {
    const [first, last] = [this.marks[0], this.marks[this.marks.length - 1]];
    return last.at === first.at ? 0 : 1 - last.given / (last.at - first.at);
  }

  /** Waits until `ms` have been given since `from`. */
  async until(from: number, ms: number): Promise<void> {
    for (let left = this.left(from, ms); left > 1; left = this.left(from, ms))
      await new Promise((resolve) => setTimeout(resolve, left));
  }

  private left(from: number, ms: number): number {
    return ms - this.between(from, Date.now());
  }

  private givenAt(at: number): number {
    const after = this.indexAfter(at);
    const [before, next] = [this.marks[Math.max(0, after - 1)], this.marks[after]];
    if (next === undefined || before === next) return before.given + (at - before.at);
    return before.given + ((at - before.at) / (next.at - before.at)) * (next.given - before.given);
  }

  /** Of the first mark later than `at`; their number where there is none. */
  private indexAfter(at: number): number {
    let [low, high] = [0, this.marks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.marks[middle].at > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function stolenMs(): number {
  if (process.platform !== 'linux') return 0;
  const figures = readFileSync('/proc/stat', 'latin1').split('\n', 1)[0].split(/ +/);
  return (Number(figures[STEAL] ?? 0) * MS_PER_TICK) / cpus().length;
}
