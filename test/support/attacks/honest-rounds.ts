import type { HostileFixture, Honest } from './hostile-fixture.js';

const ROUNDS = 3;
const ALONE_MS = 3_000;

/** What honest clients saw alone and beside an attack: the medians of several rounds' p99, in ms. */
export interface Rounds {
  alone: Seen;
  beside: Seen;
  failures: string[];
  /** How long the program's event loop was held at the most in each attack, in ms. */
  held: number[];
}

interface Seen {
  ehlo: number;
  mail: number;
}

/**
 * Rounds of an attack, each after a while in which the honest clients are alone: the machine has other work too, and
 * what falls on one round of several does not move the median.
 */
export async function inRounds(
  fixture: HostileFixture,
  take: () => Promise<Honest>,
  attack: (round: number) => Promise<unknown>,
): Promise<Rounds> {
  const alone: Honest[] = [];
  const beside: Honest[] = [];
  const held: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await take();
    await pause(ALONE_MS);
    alone.push(await take());
    fixture.loopLag();
    await attack(round);
    beside.push(await take());
    held.push(fixture.loopLag());
  }
  const failures = [...alone, ...beside].flatMap((honest) => honest.failures);
  return { alone: medians(alone), beside: medians(beside), failures, held };
}

/** So many of `count` fall on one round. */
export function shareOf(count: number): number {
  return Math.ceil(count / ROUNDS);
}

export function describeRounds({ alone, beside, held }: Rounds): string {
  return (
    `EHLO p99 ${beside.ehlo} ms (alone ${alone.ehlo}), mail p99 ${beside.mail} ms (alone ${alone.mail}), ` +
    `loop held ${held.join(', ')} ms at most`
  );
}

const medians = (seen: Honest[]): Seen => ({
  ehlo: median(seen.map(({ ehlo }) => ehlo.p99)),
  mail: median(seen.map(({ mail }) => mail.p99)),
});

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
