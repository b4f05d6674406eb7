import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Log } from '../logging/log.js';
import { Health } from './health.js';
import { Metrics } from './metrics.js';

it('reports since when a part has not been ready, and logs the beginning and the end once', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = new Log(pino({}, { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) }));
  const [health, metrics] = [new Health(log), new Metrics()];
  health.conditions.register(metrics);
  let reason: string | null = null;
  health.register('database', () => reason);
  expect(await health.report()).toEqual([{ part: 'database', reason: null, since: null }]);
  reason = 'does not answer';
  const [first] = await health.report();
  expect(first).toMatchObject({ part: 'database', reason: 'does not answer' });
  reason = 'connection refused';
  expect(await health.report()).toEqual([{ part: 'database', reason, since: first.since }]);
  expect(await metrics.render()).toContain('postloft_conditions{condition="part_unavailable"} 1');
  reason = null;
  expect(await health.failures()).toEqual({});
  expect(await metrics.render()).toContain('postloft_conditions{condition="part_unavailable"} 0');
  expect(lines).toMatchObject([
    { level: 40, msg: 'part_unavailable begins', subject: 'database', reason: 'does not answer' },
    { level: 40, msg: 'part_unavailable ends', subject: 'database', reason: 'connection refused' },
  ]);
});
