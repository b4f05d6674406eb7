// GET /emails with a million messages in one account: the first page by every documented filter, over HTTP.
import { insertMessages, vacuumTables } from './list/fill.mjs';
import { queries } from './list/queries.mjs';
import { percentiles } from './measure/percentiles.mjs';
import { BenchPostgres, onServer } from './postgres.mjs';
import { PostloftProgram } from './programs.mjs';

const WARM_UP = 3;

/** @param {{ messages: number, times: number }} size @param {import('./report.mjs').Report} report */
export async function measureList(size, report) {
  const postgres = await BenchPostgres.start();
  try {
    const url = await postgres.createDatabase('bench_list');
    const gateway = await PostloftProgram.gateway(url);
    try {
      const { rows } = await onServer(url, 'SELECT id FROM accounts ORDER BY id LIMIT 1');
      const startedAt = performance.now();
      await insertMessages(url, rows[0].id, size.messages);
      await vacuumTables(url);
      report.note(
        `${size.messages} messages were inserted in ${((performance.now() - startedAt) / 1000).toFixed(0)} s.`,
      );
      for (const query of queries()) report.add(await measureQuery(gateway, query, size.times));
    } finally {
      await gateway.stop();
    }
  } finally {
    await postgres.stop();
  }
}

/** @param {PostloftProgram} gateway @param {import('./list/queries.mjs').ListQuery} query @param {number} times */
async function measureQuery(gateway, { filter, matches, parameters, rows }, times) {
  const target = `http://127.0.0.1:${gateway.httpPort}/emails?${new URLSearchParams(parameters).toString()}`;
  const headers = { authorization: `Bearer ${gateway.apiKey}` };
  const latencies = new Float64Array(times);
  for (let i = -WARM_UP; i < times; i += 1) {
    const start = performance.now();
    const response = await fetch(target, { headers });
    const body = /** @type {{ data?: unknown[] }} */ (await response.json());
    if (i >= 0) latencies[i] = performance.now() - start;
    const found = body.data?.length ?? -1;
    const expected = rows === 'none' ? 0 : rows === 'some' ? 1 : Number(parameters.limit ?? 20);
    if (found !== expected)
      throw new Error(
        `${filter} (${matches}) returned ${found} messages, expected ${expected}: ${JSON.stringify(body).slice(0, 500)}`,
      );
  }
  const { p50, p95 } = percentiles(latencies);
  return { scenario: 'list', system: 'gateway', workload: `${filter}: ${matches}`, pair: 0, filter, matches, p50, p95 };
}
