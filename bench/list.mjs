// GET /emails with a million mails in one account: the first page by every documented filter, over HTTP.
import { fillMails, settleTables } from './list/fill.mjs';
import { questions } from './list/questions.mjs';
import { percentiles } from './measure/percentiles.mjs';
import { BenchPostgres, onServer } from './postgres.mjs';
import { OurProgram } from './programs.mjs';

const WARM_UP = 3;

/** @param {{ mails: number, times: number }} size @param {import('./report.mjs').Report} report */
export async function measureList(size, report) {
  const postgres = await BenchPostgres.start();
  try {
    const url = await postgres.createDatabase('bench_list');
    const gateway = await OurProgram.gateway(url);
    try {
      const { rows } = await onServer(url, 'SELECT id FROM accounts ORDER BY id LIMIT 1');
      const filledAt = performance.now();
      await fillMails(url, rows[0].id, size.mails);
      await settleTables(url);
      report.note(`${size.mails} mails were written in ${((performance.now() - filledAt) / 1000).toFixed(0)} s.`);
      for (const question of questions()) report.add(await ask(gateway, question, size.times));
    } finally {
      await gateway.stop();
    }
  } finally {
    await postgres.stop();
  }
}

/** @param {OurProgram} gateway @param {import('./list/questions.mjs').Question} question @param {number} times */
async function ask(gateway, { filter, matches, query, rows }, times) {
  const target = `http://127.0.0.1:${gateway.httpPort}/emails?${new URLSearchParams(query).toString()}`;
  const headers = { authorization: `Bearer ${gateway.apiKey}` };
  const latencies = new Float64Array(times);
  for (let i = -WARM_UP; i < times; i += 1) {
    const began = performance.now();
    const answer = await fetch(target, { headers });
    const body = /** @type {{ data?: unknown[] }} */ (await answer.json());
    if (i >= 0) latencies[i] = performance.now() - began;
    const found = body.data?.length ?? -1;
    const expected = rows === 'none' ? 0 : rows === 'some' ? 1 : Number(query.limit ?? 20);
    if (found !== expected)
      throw new Error(`${filter} (${matches}) found ${found} mails: ${JSON.stringify(body).slice(0, 500)}`);
  }
  const { p50, p95 } = percentiles(latencies);
  return { scenario: 'list', system: 'gateway', workload: `${filter}: ${matches}`, pair: 0, filter, matches, p50, p95 };
}
