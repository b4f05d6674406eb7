import { Counter } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { Metrics } from './metrics.js';

describe('Metrics of a process with a second thread', () => {
  const count = (metrics: Metrics, name: string, times: number) =>
    new Counter({ name, help: name, registers: [metrics.registry] }).inc(times);

  it('show what either has, add up what both have, and keep what is of the process', async () => {
    const [main, thread] = [new Metrics(), new Metrics({ ofProcess: false })];
    count(main, 'accepted_total', 2);
    count(main, 'failed_total', 3);
    count(thread, 'failed_total', 4);
    count(thread, 'delivered_total', 5);
    main.join(() => thread.snapshot());
    const shown = await main.render();
    expect(shown).toMatch(/^accepted_total 2$/m);
    expect(shown).toMatch(/^failed_total 7$/m);
    expect(shown).toMatch(/^delivered_total 5$/m);
    expect(shown).toMatch(/^process_start_time_seconds \d+$/m);
    expect(shown.match(/^# TYPE failed_total /gm)).toHaveLength(1);
  });
});
