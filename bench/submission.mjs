// SMTP accept: the relay program compared with nodemailer's smtp-server that flushes one file per message. Both use TLS
// and one login per session; no message is delivered.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { end, nextMessage, runModule, startModule } from './children.mjs';
import { Sink } from './load/sink.mjs';
import { quietPairs, watchHost } from './measure/host.mjs';
import { cpuSeconds, untilIdle } from './measure/process-tree.mjs';
import { BenchPostgres, countRows } from './postgres.mjs';
import { PostloftProgram } from './programs.mjs';

const LOAD = new URL('./load/smtp-load.mjs', import.meta.url);
const PEER = new URL('./peers/smtp-server-files.mjs', import.meta.url);
const RUN_MS = 120_000;
const IDLE_MS = 5_000;
const SESSIONS = 10;
const BYTES = 5_120;

/**
 * @typedef {object} SmtpTarget
 * @property {string} name
 * @property {number} port
 * @property {{ user: string, password: string }} login
 * @property {string} from
 * @property {number[]} roots process trees of the server, without PostgreSQL
 * @property {() => Promise<number>} stored number of messages on disk
 */
/** @typedef {{ postgres: BenchPostgres, report: import('./report.mjs').Report, size: { pairs: number, count: number, warmUp: number } }} Bench */

/** @param {Bench['size']} size @param {import('./report.mjs').Report} report */
export async function measureSubmission(size, report) {
  const postgres = await BenchPostgres.start();
  try {
    await relayAgainstFiles({ postgres, report, size });
    await standaloneWithDelivery({ postgres, report, size });
  } finally {
    await postgres.stop();
  }
}

/** @param {Bench} bench */
async function relayAgainstFiles(bench) {
  const { postgres, report, size } = bench;
  const peer = await startPeer();
  const databaseUrl = await postgres.createDatabase('bench_submission');
  const relay = await PostloftProgram.relay(databaseUrl);
  try {
    const postloft = asTarget('relay', relay, databaseUrl);
    for (const target of [postloft, peer.target])
      await oneRun(postgres, target, { run: `warm-${target.name}`, count: size.warmUp });
    await quietPairs({ pairs: size.pairs, report, systems: [peer.target, postloft] }, async (target, pair) => {
      const figures = await oneRun(postgres, target, { run: `submission-${target.name}-${pair}`, count: size.count });
      return report.add({ scenario: 'submission', system: target.name, pair, ...figures });
    });
  } finally {
    await relay.stop();
    await peer.stop();
  }
}

/** The same load on the standalone program, which also signs and delivers; for information. @param {Bench} bench */
async function standaloneWithDelivery({ postgres, report, size }) {
  const sink = await Sink.start();
  const databaseUrl = await postgres.createDatabase('bench_submission_all');
  const program = await PostloftProgram.standalone({
    DATABASE_URL: databaseUrl,
    MASTER_KEY: randomBytes(32).toString('base64'),
    DELIVERY_MODE: 'smarthost',
    SMARTHOST_URL: `smtp://127.0.0.1:${sink.port}`,
  });
  try {
    const target = asTarget('standalone', program, databaseUrl);
    await oneRun(postgres, target, { run: 'warm-standalone', count: size.warmUp });
    for (let pair = 1; pair <= Math.min(3, size.pairs); pair += 1) {
      const figures = await oneRun(postgres, target, { run: `submission-standalone-${pair}`, count: size.count });
      report.add({ scenario: 'submission', system: 'standalone', pair, ...figures });
    }
  } finally {
    await program.stop();
    await sink.stop();
  }
}

/** @param {string} name @param {PostloftProgram} program @param {string} databaseUrl @returns {SmtpTarget} */
function asTarget(name, { port, login, from, roots }, databaseUrl) {
  return { name, port, login, from, roots, stored: () => countRows(databaseUrl, 'emails') };
}

async function startPeer() {
  const folder = mkdtempSync(join(tmpdir(), 'postloft-bench-files-'));
  const messages = join(folder, 'messages');
  mkdirSync(messages);
  const login = { user: 'bench', password: randomBytes(24).toString('hex') };
  const started = startModule(PEER, { folder: messages, ...login });
  const { port } = await nextMessage(started, (message) => message.port !== undefined, 20_000);
  /** @type {SmtpTarget} */
  const target = {
    name: 'smtp-server',
    port,
    login,
    from: 'orders@sender.example',
    roots: [/** @type {number} */ (started.child.pid)],
    stored: async () => readdirSync(messages).filter((name) => name.endsWith('.eml')).length,
  };
  const stop = async () => {
    await end(started.child);
    rmSync(folder, { recursive: true, force: true });
  };
  return { target, stop };
}

/**
 * @param {BenchPostgres} postgres @param {SmtpTarget} target @param {{ run: string, count: number }} what
 * @returns {Promise<import('./report.mjs').HttpFigures>}
 */
async function oneRun(postgres, { name, port, login, from, roots, stored }, { run, count }) {
  await postgres.checkpoint();
  const all = [...roots, postgres.pid];
  await untilIdle(all, IDLE_MS);
  const storedBefore = await stored();
  const before = { server: cpuSeconds(roots), postgres: cpuSeconds([postgres.pid]) };
  const host = watchHost();
  const options = { port, login, from, run, count, sessions: SESSIONS, bytes: BYTES };
  /** @type {import('./load/smtp-load.mjs').SmtpLoadResult} */
  const load = await runModule(LOAD, options, RUN_MS);
  const stolen = host();
  await untilIdle(all, RUN_MS);
  // Deferred writes of a run count for this run.
  await postgres.checkpoint();
  const after = { server: cpuSeconds(roots), postgres: cpuSeconds([postgres.pid]) };
  const kept = (await stored()) - storedBefore;
  if (kept !== count) throw new Error(`${name} answered 250 to ${count} messages but stored ${kept}`);
  return {
    count,
    perSecond: (count / (load.endedAt - load.startedAt)) * 1_000,
    cpuServer: per1000(before.server, after.server, count),
    cpuPostgres: name === 'smtp-server' ? 0 : per1000(before.postgres, after.postgres, count),
    p50: load.latency.p50,
    p99: load.latency.p99,
    cpuLoad: (load.cpuSeconds / count) * 1_000,
    stolen,
  };
}

/** @param {number | null} before @param {number | null} after @param {number} count */
const per1000 = (before, after, count) =>
  before === null || after === null ? null : ((after - before) / count) * 1_000;
