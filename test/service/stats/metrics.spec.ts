import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, Log } from '#libs/kernel';
import { StatsStore } from '#libs/stats';
import { afterAll, beforeAll, describe } from 'vitest';
import { startClickhouseFront, type ClickhouseFront } from '../../support/stats/clickhouse-front.js';
import { KEEP_ALL } from '../../support/stats/stats-events.js';
import { statsMetricsSuite } from './metrics.suite.js';

const silent = Log.quiet();

describe('in process', () => {
  let dataDir: string;
  let store: StatsStore;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stats-'));
    store = new StatsStore(loadConfig('standalone', { DATA_DIR: dataDir, ...KEEP_ALL }), silent);
    await store.ready();
  });
  afterAll(async () => {
    await store.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  statsMetricsSuite('the embedded engine', () => store);
});

describe('over HTTP', () => {
  let front: ClickhouseFront;
  let store: StatsStore;
  beforeAll(async () => {
    front = await startClickhouseFront();
    store = new StatsStore(loadConfig('standalone', { CLICKHOUSE_URL: front.url, ...KEEP_ALL }), silent);
    await store.ready();
  });
  afterAll(async () => {
    await store.close();
    await front.stop();
  });
  statsMetricsSuite('a server', () => store);
});
