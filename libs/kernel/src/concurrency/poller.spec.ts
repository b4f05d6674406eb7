import { describe, expect, it } from 'vitest';
import { Log } from '../logging/log.js';
import { Poller, type PollerOptions } from './poller.js';

/** Longer than a test may last. */
const HOUR_MS = 3_600_000;

/** A poller whose rounds return what `rounds` says, then "nothing more"; counts the rounds. */
function poll(rounds: (boolean | Error)[], options: Partial<PollerOptions> = {}) {
  const seen = { count: 0 };
  const waiting: (() => void)[] = [];
  const round = async () => {
    const result = rounds[seen.count] ?? false;
    seen.count += 1;
    for (const resume of waiting.splice(0)) resume();
    if (result instanceof Error) throw result;
    return result;
  };
  const poller = new Poller({ name: 'test', pollMs: HOUR_MS, round, ...options }, Log.quiet());
  const reached = async (count: number) => {
    while (seen.count < count) await new Promise<void>((resume) => waiting.push(resume));
  };
  return { poller, seen, reached };
}

describe('Poller', () => {
  it('continues at once while there is more, and then waits', async () => {
    const { poller, seen, reached } = poll([true, true, false]);
    poller.start();
    await reached(3);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(seen.count).toBe(3);
    await poller.stop();
  });

  it('begins a round when woken, also if that happens during a round', async () => {
    const { poller, reached } = poll([]);
    poller.start();
    await reached(1);
    poller.wake();
    await reached(2);
    poller.wake();
    await reached(3);
    await poller.stop();
  });

  it('polls on its own', async () => {
    const { poller, reached } = poll([], { pollMs: 5 });
    poller.start();
    await reached(3);
    await poller.stop();
  });

  it('goes on after a failed round', async () => {
    const { poller, reached } = poll([new Error('database away'), false]);
    poller.start();
    await reached(2);
    await poller.stop();
  });

  it('begins no round after stop', async () => {
    const { poller, seen, reached } = poll([true]);
    poller.start();
    await reached(1);
    await poller.stop();
    const { count } = seen;
    poller.wake();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(seen.count).toBe(count);
  });
});
