import { describe, expect, it } from 'vitest';
import { Log } from './log.js';
import { Shutdown, SHUTDOWN_STAGES } from './shutdown.js';

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

  it('goes on when a part fails', async () => {
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
