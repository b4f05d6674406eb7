// HTTP accept: the gateway compared with a bare Fastify server with the same group commit on the same PostgreSQL.
import { end, nextMessage, runModule, startModule } from './children.mjs';
import { Sink } from './load/sink.mjs';
import { quietPairs, watchHost } from './measure/host.mjs';
import { cpuSeconds, untilIdle } from './measure/process-tree.mjs';
import { BenchPostgres, countRows } from './postgres.mjs';
import { PostloftProgram } from './programs.mjs';

const LOAD = new URL('./load/http-load.mjs', import.meta.url);
const PEER = new URL('./peers/fastify-group-commit.mjs', import.meta.url);
const PEER_KEY = 'bench-peer-key';
const RUN_MS = 120_000;
const IDLE_MS = 5_000;
const IN_FLIGHT = 50;
const BYTES = 2_048;

/**
 * @typedef {object} HttpTarget
 * @property {string} name
 * @property {number} port
 * @property {string} apiKey
 * @property {string} from
 * @property {number[]} roots process trees of the server, without PostgreSQL
 * @property {string} databaseUrl
 * @property {string} table with one row per accepted message
 */

/**
 * @param {{ pairs: number, count: number, warmUp: number }} size
 * @param {import('./report.mjs').Report} report
 */
export async function measureHttp(size, report) {
  const postgres = await BenchPostgres.start();
  try {
    await gatewayAgainstFastify(postgres, size, report);
    await standaloneWithDelivery(postgres, size, report);
  } finally {
    await postgres.stop();
  }
}

/** @param {BenchPostgres} postgres @param {{ pairs: number, count: number, warmUp: number }} size @param {import('./report.mjs').Report} report */
async function gatewayAgainstFastify(postgres, size, report) {
  const peer = await startPeer(await postgres.createDatabase('bench_peer'));
  const databaseUrl = await postgres.createDatabase('bench_gateway');
  const gateway = await PostloftProgram.gateway(databaseUrl);
  try {
    const postloft = asTarget('gateway', gateway, databaseUrl);
    for (const target of [postloft, peer.target])
      await oneRun(postgres, target, { run: `warm-${target.name}`, count: size.warmUp });
    await quietPairs({ pairs: size.pairs, report, systems: [peer.target, postloft] }, async (target, pair) => {
      const figures = await oneRun(postgres, target, { run: `http-${target.name}-${pair}`, count: size.count });
      return report.add({ scenario: 'http', system: target.name, pair, ...figures });
    });
  } finally {
    await gateway.stop();
    await peer.stop();
  }
}

/**
 * The same load on the standalone program, which also signs and delivers. For information: one process does the work of
 * five.
 * @param {BenchPostgres} postgres @param {{ pairs: number, count: number, warmUp: number }} size @param {import('./report.mjs').Report} report
 */
async function standaloneWithDelivery(postgres, size, report) {
  const sink = await Sink.start();
  const databaseUrl = await postgres.createDatabase('bench_standalone');
  const program = await PostloftProgram.standalone({
    DATABASE_URL: databaseUrl,
    MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    DELIVERY_MODE: 'smarthost',
    SMARTHOST_URL: `smtp://127.0.0.1:${sink.port}`,
  });
  try {
    const target = asTarget('standalone', program, databaseUrl);
    await oneRun(postgres, target, { run: 'warm-standalone', count: size.warmUp });
    for (let pair = 1; pair <= Math.min(3, size.pairs); pair += 1) {
      const figures = await oneRun(postgres, target, { run: `http-standalone-${pair}`, count: size.count });
      report.add({ scenario: 'http', system: 'standalone', pair, ...figures });
    }
  } finally {
    await program.stop();
    await sink.stop();
  }
}

/** @param {string} name @param {PostloftProgram} program @param {string} databaseUrl @returns {HttpTarget} */
function asTarget(name, program, databaseUrl) {
  const { apiKey, from, roots, httpPort: port } = program;
  return { name, port, apiKey, from, roots, databaseUrl, table: 'emails' };
}

/** @param {string} databaseUrl */
async function startPeer(databaseUrl) {
  const started = startModule(PEER, { databaseUrl, apiKey: PEER_KEY });
  const { port } = await nextMessage(started, (message) => message.port !== undefined, 20_000);
  const target = {
    name: 'fastify',
    port,
    apiKey: PEER_KEY,
    from: 'orders@sender.example',
    roots: [/** @type {number} */ (started.child.pid)],
    databaseUrl,
    table: 'messages',
  };
  return { target, stop: () => end(started.child) };
}

/**
 * @param {BenchPostgres} postgres @param {HttpTarget} target @param {{ run: string, count: number }} what
 * @returns {Promise<import('./report.mjs').HttpFigures>}
 */
async function oneRun(postgres, target, { run, count }) {
  const { port, apiKey, from, roots, databaseUrl, table } = target;
  await postgres.checkpoint();
  const all = [...roots, postgres.pid];
  await untilIdle(all, IDLE_MS);
  const stored = await countRows(databaseUrl, table);
  const before = { server: cpuSeconds(roots), postgres: cpuSeconds([postgres.pid]) };
  const host = watchHost();
  const options = { port, apiKey, from, run, count, inFlight: IN_FLIGHT, bytes: BYTES };
  /** @type {import('./load/http-load.mjs').HttpLoadResult} */
  const load = await runModule(LOAD, options, RUN_MS);
  const stolen = host();
  await untilIdle(all, RUN_MS);
  // Deferred writes of a run count for this run.
  await postgres.checkpoint();
  const after = { server: cpuSeconds(roots), postgres: cpuSeconds([postgres.pid]) };
  if (load.failed > 0)
    throw new Error(`${target.name} refused ${load.failed} of ${count} messages: ${load.firstFailure}`);
  const kept = (await countRows(databaseUrl, table)) - stored;
  if (kept !== count) throw new Error(`${target.name} answered 2xx to ${count} messages but stored ${kept}`);
  return {
    count,
    perSecond: count / load.seconds,
    cpuServer: per1000(before.server, after.server, count),
    cpuPostgres: per1000(before.postgres, after.postgres, count),
    p50: load.latency.p50,
    p99: load.latency.p99,
    cpuLoad: (load.cpuSeconds / count) * 1000,
    stolen,
  };
}

/** @param {number | null} before @param {number | null} after @param {number} count */
const per1000 = (before, after, count) =>
  before === null || after === null ? null : ((after - before) / count) * 1000;
