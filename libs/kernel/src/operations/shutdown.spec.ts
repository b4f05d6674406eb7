import { afterEach, describe, expect, it, vi } from 'vitest';
import { Log } from '../logging/log.js';
import { Shutdown, SHUTDOWN_STAGES } from './shutdown.js';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

describe('Shutdown', () => {
  it('runs the stages in order, each part once, whatever the order of registration', async () => {
    const shutdown = new Shutdown(Log.quiet());
    const seen: string[] = [];
    for (const stage of [...SHUTDOWN_STAGES].reverse()) shutdown.on(stage, stage, () => void seen.push(stage));
    expect(shutdown.begun).toBe(false);
    await Promise.all([shutdown.run(), shutdown.run()]);
    expect(seen).toEqual([...SHUTDOWN_STAGES]);
    expect(shutdown.begun).toBe(true);
  });

  it('continues if a part fails', async () => {
    const shutdown = new Shutdown(
      Log.create({ settings: { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' }, program: 'cli' } as never),
    );
    let closed = false;
    shutdown.on('work', 'broken', () => Promise.reject(new Error('no')));
    shutdown.on('store', 'store', () => {
      closed = true;
    });
    await shutdown.run();
    expect(closed).toBe(true);
  });
});

describe('a process that is told to stop', () => {
  const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  afterEach(() => {
    for (const [signal, listeners] of before)
      for (const listener of process.listeners(signal))
        if (!listeners.includes(listener)) process.off(signal, listener);
    vi.restoreAllMocks();
  });

  /** A process with one part, which stops when `finish` is called. */
  function stopping() {
    const exits = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    const shutdown = new Shutdown(Log.quiet());
    let finish = () => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    shutdown.on('work', 'delivery', () => finished);
    shutdown.listen();
    const signal = (name: NodeJS.Signals, atMs: number) => {
      clock.mockReturnValue(atMs);
      process.emit(name, name);
    };
    const codes = () => exits.mock.calls.map(([code]) => code);
    return { signal, codes, finish, ended: () => vi.waitFor(() => expect(codes()).not.toEqual([])) };
  }

  it.each([
    ['SIGTERM', 'SIGTERM', 5_000],
    ['SIGINT', 'SIGTERM', 5_000],
    ['SIGINT', 'SIGINT', 500],
  ] as const)('by %s and then %s after %i ms, ends with 0 when everything has stopped', async (first, second, ms) => {
    const { signal, codes, finish, ended } = stopping();
    signal(first, 0);
    signal(second, ms);
    await new Promise((resolve) => setImmediate(resolve));
    expect(codes()).toEqual([]);
    finish();
    await ended();
    expect(codes()).toEqual([0]);
  });

  it('by a second Ctrl-C, ends at once with 1', async () => {
    const { signal, codes, finish } = stopping();
    signal('SIGINT', 0);
    signal('SIGINT', 2_000);
    expect(codes()).toEqual([1]);
    // `process.exit` is replaced and returns, so the first signal still ends the process: here, not in a later test.
    finish();
    await vi.waitFor(() => expect(codes()).toEqual([1, 0]));
  });
});
