// End to end: SMTP in, durable, SMTP out to a sink. The whole service in one process against Postfix, in turn.
import { runModule } from './children.mjs';
import { Sink } from './load/sink.mjs';
import { cpuSeconds, memoryMiB, untilIdle } from './measure/process-tree.mjs';
import { Postfix, postfixMissing } from './peers/postfix.mjs';
import { OurProgram } from './programs.mjs';

const LOAD = new URL('./load/smtp-load.mjs', import.meta.url);
const RUN_MS = 180_000;
const IDLE_MS = 8_000;
const MEMORY_EVERY_MS = 500;

/**
 * @typedef {object} Workload
 * @property {string} name
 * @property {number} bytes
 * @property {number} sessions
 * @property {number} count
 */
/** @typedef {{ port: number, login: { user: string, password: string } | null, from: string, roots: number[] }} Relay */

/** @param {{ pairs: number, share: number, warmUp: number }} size `share` of the full number of mails @param {import('./report.mjs').Report} report */
export async function measureRelay(size, report) {
  const sink = await Sink.start();
  const missing = postfixMissing();
  if (missing) report.note(`Postfix is not measured: ${missing}.`);
  const postfix = missing ? null : await Postfix.start(sink.port);
  try {
    const of = (/** @type {number} */ count) => Math.round(count * size.share);
    const unsigned = [
      { name: '5 KB, 10 sessions', bytes: 5_120, sessions: 10, count: of(4_000) },
      { name: '100 KB, 10 sessions', bytes: 102_400, sessions: 10, count: of(1_000) },
      { name: '5 KB, 1 session', bytes: 5_120, sessions: 1, count: of(1_500) },
    ];
    await compare(
      { sink, postfix, size, report },
      { system: 'ours', settings: { DKIM_SIGNING: 'off' }, workloads: unsigned },
    );
    await compare(
      { sink, postfix, size, report },
      { system: 'ours+DKIM', settings: {}, workloads: unsigned.slice(0, 1) },
    );
  } finally {
    await postfix?.stop();
    await sink.stop();
  }
}

/**
 * @param {{ sink: Sink, postfix: Postfix | null, size: { pairs: number, warmUp: number }, report: import('./report.mjs').Report }} bench
 * @param {{ system: string, settings: Record<string, string>, workloads: Workload[] }} what
 */
async function compare({ sink, postfix, size, report }, { system, settings, workloads }) {
  const ours = await OurProgram.standalone({
    DELIVERY_MODE: 'smarthost',
    SMARTHOST_URL: `smtp://127.0.0.1:${sink.port}`,
    ...settings,
  });
  /** @type {[string, Relay][]} */
  const systems = [...(postfix ? [/** @type {[string, Relay]} */ (['Postfix', postfix])] : []), [system, ours]];
  try {
    for (const [name, relay] of systems)
      await oneRun(sink, relay, { run: runName('warm', name, 0), workload: { ...workloads[0], count: size.warmUp } });
    for (const workload of workloads) {
      for (let pair = 1; pair <= size.pairs; pair += 1) {
        for (const [name, relay] of systems) {
          const figures = await oneRun(sink, relay, { run: runName(workload.name, name, pair), workload });
          report.add({ scenario: 'relay', system: name, against: system, workload: workload.name, pair, ...figures });
        }
      }
      // Memory in a run of its own: looking at it costs time.
      for (const [name, relay] of systems) {
        const memory = watchMemory(relay.roots);
        await oneRun(sink, relay, { run: runName(workload.name, name, size.pairs + 1), workload });
        report.add({
          scenario: 'memory',
          system: name,
          against: system,
          workload: workload.name,
          pair: 0,
          peakMiB: memory.stop(),
        });
      }
    }
  } finally {
    await ours.stop();
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
async function oneRun(sink, { port, login, from, roots }, { run, workload: { bytes, sessions, count } }) {
  await untilIdle(roots, IDLE_MS);
  const { complete } = await sink.expect(run, count, RUN_MS);
  const before = cpuSeconds(roots);
  /** @type {import('./load/smtp-load.mjs').SmtpLoadResult} */
  const load = await runModule(LOAD, { port, login, from, run, count, sessions, bytes }, RUN_MS);
  const waited = await complete.then(
    () => null,
    (/** @type {Error} */ error) => error.message,
  );
  await untilIdle(roots, IDLE_MS);
  const after = cpuSeconds(roots);
  const arrived = await sink.report(run);
  if (waited !== null || arrived.distinct !== count || arrived.duplicates > 0)
    throw new Error(
      `${run}: ${count} accepted, ${arrived.distinct} arrived, ${arrived.duplicates} twice, ${arrived.strangers} unknown`,
    );
  return {
    count,
    acceptedPerSecond: (count / (load.endedAt - load.startedAt)) * 1000,
    deliveredPerSecond: (count / (arrived.lastAt - load.startedAt)) * 1000,
    cpu: before === null || after === null ? null : ((after - before) / count) * 1000,
    p50: load.latency.p50,
    p99: load.latency.p99,
    cpuLoad: (load.cpuSeconds / count) * 1000,
  };
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
