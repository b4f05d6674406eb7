import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wholeAccount } from '#libs/contracts';
import { loadConfig, Log } from '#libs/kernel';
import { StatsStore } from '#libs/stats';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Engine } from '../../../libs/stats/src/engine.js';
import { startClickhouseFront, type ClickhouseFront } from '../../support/stats/clickhouse-front.js';
import { KEEP_ALL } from '../../support/stats/stats-events.js';

const silent = Log.quiet();
const DAY = 86_400_000;

/** Statements that the engine itself ends. */
const COSTLY = [
  ['rows', 'SELECT sum(number) FROM numbers(1000000) SETTINGS max_rows_to_read = 10'],
  ['memory', 'SELECT length(groupArray(number)) FROM numbers(50000000) SETTINGS max_memory_usage = 10000000'],
  ['time', 'SELECT sum(sleepEachRow(0.1)) FROM numbers(40) SETTINGS max_execution_time = 0.2, max_block_size = 1'],
] as const;

describe.each(['embedded', 'server'] as const)('a query that exceeds a limit of the %s engine', (kind) => {
  let dataDir: string;
  let front: ClickhouseFront | undefined;
  let store: StatsStore;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stats-'));
    front = kind === 'server' ? await startClickhouseFront() : undefined;
    const place = front ? { CLICKHOUSE_URL: front.url } : { DATA_DIR: dataDir };
    store = new StatsStore(loadConfig('standalone', { ...place, ...KEEP_ALL }), silent);
    await store.ready();
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(async () => {
    await store?.close();
    await front?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const ask = () =>
    store.metrics({
      visibility: wholeAccount('acc_018f4c2e7b3a7cc19f0e123456789abc'),
      from: new Date(Date.now() - DAY),
      to: new Date(),
      timezone: 'UTC',
      granularity: 'day',
      metrics: ['sent'],
      dimensions: [],
      groupBy: [],
      percentiles: [],
      domainIds: null,
      emailIds: null,
    });
  const answerWith = (query: string) => {
    // eslint-disable-next-line typescript/unbound-method -- called with its own object below
    const select = Engine.prototype.select;
    vi.spyOn(Engine.prototype, 'select').mockImplementation(function (this: Engine) {
      return select.call(this, { query, params: {} });
    });
  };

  it.each(COSTLY)('of %s is refused as too costly', async (_what, query) => {
    answerWith(query);
    await expect(ask()).rejects.toMatchObject({ code: 'invalid_parameter', details: [{ code: 'too_costly' }] });
  });

  it('differs from an engine that does not answer', async () => {
    answerWith('SELECT no_such_column FROM numbers(1)');
    await expect(ask()).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
