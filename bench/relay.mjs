// End to end: SMTP in, stored, SMTP out to a sink. The standalone program compared with Postfix in alternating runs.
import { randomBytes } from 'node:crypto';
import { runModule } from './children.mjs';
import { Sink } from './load/sink.mjs';
import { quietPairs, watchHost } from './measure/host.mjs';
import { percentiles } from './measure/percentiles.mjs';
import { cpuSeconds, memoryMiB, untilIdle } from './measure/process-tree.mjs';
import { Postfix, postfixMissing } from './peers/postfix.mjs';
import { BenchPostgres, onServer } from './postgres.mjs';
import { PostloftProgram } from './programs.mjs';

/** Runs only workloads whose name contains this text. */
const ONLY = process.env.BENCH_ONLY ?? '';
const LOAD = new URL('./load/smtp-load.mjs', import.meta.url);
const RUN_MS = 180_000;
const IDLE_MS = 8_000;
const MEMORY_EVERY_MS = 500;
/** Messages per second at which the time from client to sink is measured: a load that both systems carry easily. */
const PACE = 100;

/**
 * @typedef {object} Workload
 * @property {string} name
 * @property {number} bytes
 * @property {number} sessions
 * @property {number} count
 * @property {number} [perSecond] a steady rate, to measure the time of each message from client to sink
 */
/** @typedef {{ port: number, tls: boolean, login: { user: string, password: string } | null, from: string, roots: number[] }} Relay */

/** @typedef {{ sink: Sink, postfix: Postfix | null, size: { pairs: number, warmUp: number }, report: import('./report.mjs').Report }} Bench */

/** @param {{ pairs: number, share: number, warmUp: number }} size `share` of the full number of messages @param {import('./report.mjs').Report} report */
export async function measureRelay(size, report) {
  const sink = await Sink.start();
  const missing = postfixMissing();
  if (missing) report.note(`Postfix was not measured: ${missing}.`);
  const postfix = missing ? null : await Postfix.start(sink.port);
  const bench = { sink, postfix, size, report };
  try {
    const of = (/** @type {number} */ count) => Math.round(count * size.share);
    const small = [
      { name: '5 KB, 10 sessions', bytes: 5_120, sessions: 10, count: of(4_000) },
      { name: '5 KB, 50 sessions', bytes: 5_120, sessions: 50, count: of(5_000) },
    ];
    const others = [
      { name: '100 KB, 10 sessions', bytes: 102_400, sessions: 10, count: of(1_000) },
      { name: '5 KB, 1 session', bytes: 5_120, sessions: 1, count: of(1_500) },
      { name: `5 KB, ${PACE}/s`, bytes: 5_120, sessions: 10, count: of(2_000), perSecond: PACE },
    ];
    const unsigned = { DKIM_SIGNING: 'off' };
    await compare(bench, {
      system: 'Postloft',
      start: () => startPostloft(sink, unsigned),
      workloads: [...small, ...others],
    });
    await withRsaOnly(sink, (start) => compare(bench, { system: 'Postloft+RSA', start, workloads: small }));
    await compare(bench, {
      system: 'Postloft+DKIM',
      start: () => startPostloft(sink, {}),
      workloads: small.slice(0, 1),
    });
  } finally {
    await postfix?.stop();
    await sink.stop();
  }
}

/** @param {Sink} sink @param {Record<string, string>} settings @param {number[]} [others] */
const startPostloft = (sink, settings, others) =>
  PostloftProgram.standalone(
    { DELIVERY_MODE: 'smarthost', SMARTHOST_URL: `smtp://127.0.0.1:${sink.port}`, ...settings },
    others,
  );

/**
 * The sandbox domain also signs with Ed25519, unlike most senders. This deletes that key, in a database that the
 * benchmark can access.
 * @param {Sink} sink @param {(start: () => Promise<PostloftProgram>) => Promise<void>} measure
 */
async function withRsaOnly(sink, measure) {
  const postgres = await BenchPostgres.start();
  try {
    const url = await postgres.createDatabase('bench_relay');
    await measure(async () => {
      const settings = { DATABASE_URL: url, MASTER_KEY: randomBytes(32).toString('base64') };
      const program = await startPostloft(sink, settings, [postgres.pid]);
      await onServer(url, "DELETE FROM domain_keys WHERE algorithm = 'ed25519'");
      return program;
    });
  } finally {
    await postgres.stop();
  }
}

/**
 * @param {Bench} bench
 * @param {{ system: string, start: () => Promise<PostloftProgram>, workloads: Workload[] }} what
 */
async function compare({ sink, postfix, size, report }, { system, start, workloads: all }) {
  const workloads = all.filter(({ name }) => name.includes(ONLY));
  if (workloads.length === 0) return;
  const program = await start();
  /** @type {[string, Relay][]} */
  const systems = [...(postfix ? [/** @type {[string, Relay]} */ (['Postfix', postfix])] : []), [system, program]];
  try {
    for (const [name, relay] of systems)
      await oneRun(sink, relay, { run: runName('warm', name, 0), workload: { ...workloads[0], count: size.warmUp } });
    for (const workload of workloads) {
      const scenario = workload.perSecond ? 'latency' : 'relay';
      await quietPairs({ pairs: size.pairs, report, systems }, async ([name, relay], pair) => {
        const figures = await oneRun(sink, relay, { run: runName(workload.name, name, pair), workload });
        return report.add({ scenario, system: name, against: system, workload: workload.name, pair, ...figures });
      });
      if (scenario === 'relay') await measureMemory(sink, systems, { workload, against: system, report });
    }
  } finally {
    await program.stop();
  }
}

/**
 * In separate runs, because reading the memory figures takes time.
 * @param {Sink} sink @param {[string, Relay][]} systems
 * @param {{ workload: Workload, against: string, report: import('./report.mjs').Report }} what
 */
async function measureMemory(sink, systems, { workload, against, report }) {
  for (const [system, relay] of systems) {
    const memory = watchMemory(relay.roots);
    await oneRun(sink, relay, { run: runName(workload.name, system, 0), workload });
    const peakMiB = memory.stop();
    report.add({ scenario: 'memory', system, against, workload: workload.name, pair: 0, peakMiB });
  }
}

let runs = 0;
/** @param {string} workload @param {string} system @param {number} pair */
const runName = (workload, system, pair) =>
  `r${(runs += 1)}-${workload}-${system}-${pair}`.toLowerCase().replace(/[^a-z0-9]+/g, '-');

/**
 * @param {Sink} sink @param {Relay} relay @param {{ run: string, workload: Workload }} what
 * @returns {Promise<import('./report.mjs').RelayFigures>}
 */
async function oneRun(
  sink,
  { port, tls, login, from, roots },
  { run, workload: { bytes, sessions, count, perSecond } },
) {
  await untilIdle(roots, IDLE_MS);
  const { complete } = await sink.expect(run, count, RUN_MS);
  const before = cpuSeconds(roots);
  const host = watchHost();
  /** @type {import('./load/smtp-load.mjs').SmtpLoadResult} */
  const load = await runModule(LOAD, { port, tls, login, from, run, count, sessions, bytes, perSecond }, RUN_MS);
  const failure = await complete.then(
    () => null,
    (/** @type {Error} */ error) => error.message,
  );
  const stolen = host();
  await untilIdle(roots, IDLE_MS);
  const after = cpuSeconds(roots);
  const arrived = await sink.report(run, perSecond !== undefined);
  if (failure !== null || arrived.distinct !== count || arrived.duplicates > 0)
    throw new Error(
      `${run}: ${count} accepted, ${arrived.distinct} arrived, ${arrived.duplicates} duplicates, ${arrived.unexpected} unexpected`,
    );
  return {
    count,
    acceptedPerSecond: (count / (load.endedAt - load.startedAt)) * 1000,
    deliveredPerSecond: (count / (arrived.lastAt - load.startedAt)) * 1000,
    cpu: before === null || after === null ? null : ((after - before) / count) * 1000,
    p50: load.latency.p50,
    p99: load.latency.p99,
    cpuLoad: (load.cpuSeconds / count) * 1000,
    stolen,
    ...(perSecond ? transitTimes(load.sentAt, arrived.arrivedAt) : {}),
  };
}

/** From the last octet of a message sent to its arrival in the sink. @param {number[]} sentAt @param {number[]} arrivedAt */
function transitTimes(sentAt, arrivedAt) {
  const { p50, p99 } = percentiles(Float64Array.from(sentAt, (sent, index) => arrivedAt[index] - sent));
  return { wayP50: p50, wayP99: p99 };
}

/** @param {number[]} roots */
function watchMemory(roots) {
  let peak = memoryMiB(roots);
  const timer = setInterval(() => {
    const current = memoryMiB(roots);
    if (current !== null && peak !== null) peak = Math.max(peak, current);
  }, MEMORY_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return peak;
    },
  };
}
