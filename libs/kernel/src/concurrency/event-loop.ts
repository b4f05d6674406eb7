import { messageBuffer } from '../memory/message-buffer.js';

/** Synchronous work between two yields, in milliseconds: about the cost of one TLS handshake. */
const SLICE_MS = 3;
/** Octets copied between two yields. Memory that was never used costs several times the copying. */
const COPY_BYTES = 256 * 1024;
/** Items sorted or merged at once: a few milliseconds of comparisons. */
const RUN_LENGTH = 4_096;

/** Continues in the next iteration of the event loop, so that other work of this process gets its turn. */
const yieldToLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** `items.map(work)` that yields to the event loop when it takes long. */
export async function mapYielding<T, R>(items: readonly T[], work: (item: T, index: number) => R): Promise<R[]> {
  const results: R[] = [];
  let sliceStart = performance.now();
  for (const [index, item] of items.entries()) {
    if (performance.now() - sliceStart > SLICE_MS) {
      await yieldToLoop();
      sliceStart = performance.now();
    }
    results.push(work(item, index));
  }
  return results;
}

/** Runs the steps of `work`; yields to the event loop between two of them when it takes long. */
export async function runYielding<T>(work: Generator<void, T>): Promise<T> {
  let sliceStart = performance.now();
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    if (performance.now() - sliceStart <= SLICE_MS) continue;
    await yieldToLoop();
    sliceStart = performance.now();
  }
}

/** `Buffer.concat` for any size; yields to the event loop while it copies. A single piece is returned without a copy. */
export async function concatYielding(pieces: readonly Buffer[]): Promise<Buffer> {
  if (pieces.length === 1) return pieces[0];
  const whole = messageBuffer(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  let yieldAt = COPY_BYTES;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length;) {
      const copied = piece.copy(whole, at, from, from + yieldAt - at);
      from += copied;
      at += copied;
      if (at < yieldAt) continue;
      await yieldToLoop();
      yieldAt += COPY_BYTES;
    }
  }
  return whole;
}

/** `items.toSorted(compare)` for any length: sorts runs, merges them in pairs, and yields to the event loop in between. */
export async function sortYielding<T>(items: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += RUN_LENGTH) {
    if (at > 0) await yieldToLoop();
    runs.push(items.slice(at, at + RUN_LENGTH).sort(compare));
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      await yieldToLoop();
      longer.push(mergeSorted(runs[i], runs.at(i + 1) ?? [], compare));
    }
    runs = longer;
  }
  return runs.at(0) ?? [];
}

function mergeSorted<T>(left: T[], right: T[], compare: (a: T, b: T) => number): T[] {
  const all: T[] = [];
  let at = 0;
  for (const item of left) {
    while (at < right.length && compare(right[at], item) < 0) all.push(right[at++]);
    all.push(item);
  }
  return all.concat(right.slice(at));
}

/** Long work in steps, between which the process does something else. */
export const yielding = {
  concat: concatYielding,
  map: mapYielding,
  run: runYielding,
  sort: sortYielding,
  pause: yieldToLoop,
};
