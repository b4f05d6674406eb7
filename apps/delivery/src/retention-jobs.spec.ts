import { Log, Metrics, Shutdown } from '#libs/kernel';
import { RetentionGuard } from '#libs/persistence';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pino } from 'pino';
import { RetentionJobs } from './retention-jobs.js';

const DAY_MS = 86_400_000;
const ROUND_MS = 10 * 60_000;

describe('RetentionJobs', () => {
  const lines: { level: number; msg: string }[] = [];
  const log = new Log(pino({}, { write: (line: string) => lines.push(JSON.parse(line) as never) }));
  const prune = vi.fn(async () => ({
    dropped: [],
    deleted: 0,
    contents: { dropped: [], deleted: 0 },
    attempts: { dropped: [], deleted: 0 },
  }));
  const createAhead = vi.fn(async () => []);
  let suspicion: object | null;
  let shutdown: Shutdown;

  beforeEach(() => {
    vi.useFakeTimers();
    vi.clearAllMocks();
    lines.length = 0;
    suspicion = null;
    shutdown = new Shutdown(Log.quiet());
  });
  afterEach(async () => {
    await shutdown.run();
    vi.useRealTimers();
  });

  function start(clock: () => Promise<object | null>): Metrics {
    const metrics = new Metrics();
    const pruning = { prune };
    const database = { query: async () => ({ rows: [{ fence: '1' }], rowCount: 0 }) };
    const jobs = new (RetentionJobs as unknown as new (...parts: unknown[]) => RetentionJobs)(
      database,
      { createAhead, recentStates: async () => [] },
      ...Array.from({ length: 8 }, () => pruning),
      new RetentionGuard({ suspicion: clock } as never, log, metrics),
      log,
      { id: 'wrk_1', register: async () => undefined },
      shutdown,
      metrics,
    );
    jobs.onApplicationBootstrap();
    return metrics;
  }
  const paused = (metrics: Metrics) => metrics.registry.getSingleMetricAsString('postloft_retention_paused');

  it('deletes nothing while the clock is not plausible, says so once, and goes on afterwards', async () => {
    const at = new Date();
    suspicion = { present: at, lastTrusted: new Date(at.getTime() - 60 * DAY_MS), trustedFrom: at };
    const metrics = start(async () => suspicion);
    await vi.advanceTimersByTimeAsync(3 * ROUND_MS);
    expect(createAhead.mock.calls.length).toBeGreaterThan(2);
    expect(prune).not.toHaveBeenCalled();
    expect(lines.filter(({ level, msg }) => level === 40 && msg.startsWith('retention is paused'))).toHaveLength(1);
    expect(await paused(metrics)).toContain('postloft_retention_paused 1');
    suspicion = null;
    await vi.advanceTimersByTimeAsync(ROUND_MS);
    expect(prune).toHaveBeenCalled();
    expect(await paused(metrics)).toContain('postloft_retention_paused 0');
  });

  it('deletes nothing while the database does not tell', async () => {
    start(() => Promise.reject(new Error('no connection')));
    await vi.advanceTimersByTimeAsync(2 * ROUND_MS);
    expect(prune).not.toHaveBeenCalled();
  });
});
