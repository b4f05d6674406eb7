import { BusModule } from '#libs/bus';
import { Health, Log, Metrics, Shutdown } from '#libs/kernel';
import { RetentionGuard, RetentionRegistry, type Deletions } from '#libs/persistence';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pino } from 'pino';
import { DeliveryModule } from './delivery.module.js';
import { RetentionJobs } from './retention-jobs.js';
import { RetentionReport } from './retention-report.js';

const DAY_MS = 86_400_000;
const ROUND_MS = 10 * 60_000;

describe('RetentionJobs', () => {
  const lines: { level: number; msg: string }[] = [];
  const log = new Log(pino({}, { write: (line: string) => lines.push(JSON.parse(line) as never) }));
  const prune = vi.fn(async (_now: Date): Promise<Deletions> => ({ contents: { dropped: [], deleted: 0 }, emails: 0 }));
  const pruneNotices = vi.fn(async () => ({ notices: 3 }));
  const createAhead = vi.fn(async () => []);
  const overdueSince = vi.fn(async (_now: Date): Promise<Date | null> => null);
  let hasLease: boolean;
  let health: Health;
  let suspicion: object | null;
  let shutdown: Shutdown;

  beforeEach(() => {
    vi.useFakeTimers();
    vi.clearAllMocks();
    lines.length = 0;
    suspicion = null;
    hasLease = true;
    health = new Health(Log.quiet());
    shutdown = new Shutdown(Log.quiet());
  });
  afterEach(async () => {
    await shutdown.run();
    vi.useRealTimers();
  });

  function start(clock: () => Promise<object | null>): Metrics {
    const metrics = new Metrics();
    const registry = new RetentionRegistry();
    registry.register('messages', prune, { deleters: 'everywhere', overdueSince });
    registry.register('notices', pruneNotices);
    const database = { query: async () => ({ rows: hasLease ? [{ fence: '1' }] : [], rowCount: 0 }) };
    const partitions = { createAhead, recentStates: async () => [] };
    const jobs = new (RetentionJobs as unknown as new (...parts: unknown[]) => RetentionJobs)(
      partitions,
      registry,
      new RetentionGuard({ suspicion: clock } as never, log, metrics),
      new RetentionReport(registry, health, log, metrics, partitions as never),
      log,
      database,
      { id: 'wrk_1', register: async () => undefined },
      shutdown,
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

  it('goes on with the next data after a failure, and logs and counts it', async () => {
    prune.mockRejectedValueOnce(new Error('a lock was not granted'));
    const metrics = start(async () => null);
    await vi.advanceTimersByTimeAsync(ROUND_MS / 2);
    expect(pruneNotices).toHaveBeenCalledOnce();
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'retention failed', of: 'messages', reason: 'a lock was not granted' }),
    );
    expect(await metrics.registry.getSingleMetricAsString('postloft_retention_failures_total')).toContain('total 1');
  });

  it('logs deletions by kind of data and counts dropped partitions', async () => {
    prune.mockResolvedValueOnce({ contents: { dropped: ['email_contents_20260131'], deleted: 2 }, emails: 7 });
    const metrics = start(async () => null);
    await vi.advanceTimersByTimeAsync(ROUND_MS / 2);
    const partitions = ['email_contents_20260131'];
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'deleted expired data', of: 'contents', partitions, rows: 2 }),
    );
    expect(await metrics.registry.getSingleMetricAsString('postloft_partitions_dropped_total')).toContain('total 1');
  });

  it('deletes row by row without the lease too, and nothing else', async () => {
    hasLease = false;
    start(async () => null);
    await vi.advanceTimersByTimeAsync(ROUND_MS / 2);
    expect(prune).toHaveBeenCalledOnce();
    expect(pruneNotices).not.toHaveBeenCalled();
    expect(createAhead).not.toHaveBeenCalled();
  });

  it('reports how far it is behind, and a condition after more than a day', async () => {
    const metrics = start(async () => null);
    const behind = () => metrics.registry.getSingleMetricAsString('postloft_retention_behind_seconds');
    overdueSince.mockImplementation(async (now) => new Date(now.getTime() - 3_600_000));
    await vi.advanceTimersByTimeAsync(ROUND_MS / 2);
    expect(await behind()).toContain('{of="messages"} 3600');
    expect(await behind()).toContain('{of="notices"} 0');
    expect(health.conditions.of('retention_late').size).toBe(0);
    overdueSince.mockImplementation(async (now) => new Date(now.getTime() - 2 * DAY_MS));
    await vi.advanceTimersByTimeAsync(ROUND_MS);
    expect([...health.conditions.of('retention_late').keys()]).toEqual(['messages']);
    overdueSince.mockImplementation(async () => null);
    await vi.advanceTimersByTimeAsync(ROUND_MS);
    expect(health.conditions.of('retention_late').size).toBe(0);
  });
});

describe('the modules of the delivery program', () => {
  it('register all data that expires', () => {
    const registry = new RetentionRegistry();
    for (const Registering of modulesWithin(DeliveryModule, new Set([BusModule]))) {
      const parts = Reflect.getMetadata('design:paramtypes', Registering) as unknown[] | undefined;
      if (parts?.includes(RetentionRegistry))
        new Registering(...parts.map((part) => (part === RetentionRegistry ? registry : {}) as never));
    }
    expect(
      registry
        .all()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([
      'MTA-STS policies',
      'attempts',
      'captured messages',
      'captured messages beyond the limit',
      'contents',
      'contents outside of the database',
      'event log',
      'full mailboxes',
      'held recipients',
      'inbound messages',
      'messages',
      'notices',
      'periods of domains',
      'request log',
    ]);
  });
});

type ModuleClass = new (...parts: never[]) => object;

function modulesWithin(Root: ModuleClass, found: Set<ModuleClass>): Set<ModuleClass> {
  if (found.has(Root)) return found;
  found.add(Root);
  const imported = (Reflect.getMetadata('imports', Root) as unknown[] | undefined) ?? [];
  for (const One of imported) if (typeof One === 'function') modulesWithin(One as ModuleClass, found);
  return found;
}
