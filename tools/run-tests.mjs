// Sets up the checkout, runs the test projects of vitest.config.ts, and prints the totals and the failed tests.
//
//   node tools/run-tests.mjs [--<project> …] [arguments for vitest, such as a file name]
//   Without a project: unit, service and system, which is `npm test`. Projects on demand: engines, browser, perf, chaos,
//   ecosystem. Projects of one run share its workers, so that none waits for the last file of another project.
//
// The projects `engines` and `chaos` use the Kafka broker in KAFKA_TEST_BROKERS, or one that this program downloads and starts.
// Reports are written to .tools/reports/<project>.json. Tests whose engine is missing are skipped; with
// POSTLOFT_REQUIRE_ENGINES=1 they fail.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KafkaUnavailable, startKafka } from './kafka.mjs';
import { setUp } from './setup.mjs';
import { pythonWithPackages } from './python.mjs';
import { REPORTS } from './project-reports.mjs';
import { failedRun, projectResults, testSummary } from './test-summary.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const ENGINES_REQUIRED = process.env.POSTLOFT_REQUIRE_ENGINES === '1';
const GATE = ['unit', 'service', 'system'];
const WITH_KAFKA = ['engines', 'chaos'];
const PROJECTS = [...GATE, 'engines', 'browser', 'perf', 'chaos', 'ecosystem'];

async function main() {
  const options = process.argv.slice(2);
  const chosen = PROJECTS.filter((project) => options.includes(`--${project}`));
  const projects = chosen.length > 0 ? chosen : GATE;
  const vitestOptions = options.filter((option) => !PROJECTS.includes(option.replace(/^--/, '')));
  // Concurrent, because in a new checkout both wait for downloads.
  const [kafka] = await Promise.all([
    projects.some((one) => WITH_KAFKA.includes(one)) ? kafkaForTests() : null,
    setUp(),
    // Files of several workers use them. Without them, their tests are skipped, or fail where engines are required.
    projects.includes('engines') ? pythonWithPackages().catch(() => null) : null,
  ]);
  mkdirSync(REPORTS, { recursive: true });
  try {
    const results = await run(projects, vitestOptions);
    console.log(`\n${testSummary(results, ROOT).join('\n')}`);
    process.exitCode = failedRun(results) ? 1 : 0;
  } finally {
    await kafka?.stop();
  }
  process.exit();
}

async function kafkaForTests() {
  if (process.env.KAFKA_TEST_BROKERS) return null;
  try {
    const kafka = await startKafka();
    process.env.KAFKA_TEST_BROKERS = kafka.brokers;
    return kafka;
  } catch (error) {
    if (!(error instanceof KafkaUnavailable) || ENGINES_REQUIRED) throw error;
    console.error(`${error.message}\nTests that need Kafka are skipped.`);
    return null;
  }
}

async function run(projects, vitestOptions) {
  const reports = projects.map((project) => join(REPORTS, `${project}.json`));
  for (const report of reports) rmSync(report, { force: true });
  const code = await vitest([
    ...projects.map((project) => `--project=${project}`),
    '--reporter=default',
    '--reporter=./tools/project-reports.mjs',
    // With a file name, the other projects have no tests to run.
    ...(vitestOptions.length > 0 ? ['--passWithNoTests'] : []),
    ...vitestOptions,
  ]);
  const read = (report) => (existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : null);
  return projectResults(
    reports.map((report, i) => ({ project: projects[i], report: read(report) })),
    code,
  );
}

async function vitest(options) {
  const runner = spawn(process.execPath, [join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...options], {
    cwd: ROOT,
    stdio: 'inherit',
    // NODE_ENV=production would disable checks in libraries; chDB runs in the thread pool.
    env: { UV_THREADPOOL_SIZE: '16', ...process.env, NODE_ENV: 'test' },
  });
  const forward = (signal) => runner.kill(signal);
  process.on('SIGTERM', forward).on('SIGINT', forward);
  const code = await new Promise((resolve) => runner.once('exit', (exit) => resolve(exit ?? 1)));
  process.off('SIGTERM', forward).off('SIGINT', forward);
  return code;
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
