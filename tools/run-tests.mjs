// What `npm test` does: set-up, unit and medium tests, then the program from outside. One summary at the end.
//
//   node tools/run-tests.mjs [--distributed | --heavy] [arguments for vitest, such as a file name]
//   --distributed: only what needs a real Kafka, such as the five programs as separate processes. Uses the broker that
//   KAFKA_TEST_BROKERS names, else one that it fetches and starts itself.
//   --heavy: only what takes minutes: the promises in their full counts.
//
// Reports stay in .tools/reports/. What an absent engine would have run is reported as skipped. With
// POSTLOFT_REQUIRE_ENGINES=1 that is a failure, and Kafka is started for every suite.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KafkaUnavailable, startKafka } from './kafka.mjs';
import { setUp } from './setup.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const REPORTS = join(ROOT, '.tools', 'reports');
const ENGINES_REQUIRED = process.env.POSTLOFT_REQUIRE_ENGINES === '1';
const SUITES = [
  { name: 'unit and medium', config: 'vitest.config.ts' },
  { name: 'end to end', config: 'vitest.e2e.config.ts' },
];
const DISTRIBUTED = [{ name: 'distributed', config: 'vitest.distributed.config.ts' }];
const HEAVY = [
  { name: 'heavy', config: 'vitest.heavy.config.ts' },
  { name: 'patient', config: 'vitest.patient.config.ts' },
];

async function main() {
  const more = process.argv.slice(2).filter((argument) => !['--distributed', '--heavy'].includes(argument));
  const distributed = process.argv.includes('--distributed');
  const heavy = process.argv.includes('--heavy');
  const suites = distributed ? DISTRIBUTED : heavy ? HEAVY : SUITES;
  const withKafka = distributed || (ENGINES_REQUIRED && !heavy);
  // At once: in a new checkout both wait for what they fetch.
  const [kafka] = await Promise.all([withKafka ? kafkaForTests() : null, setUp()]);
  mkdirSync(REPORTS, { recursive: true });
  let failed = false;
  try {
    // Heavy suites may run side by side: one of them only waits.
    if (heavy) failed = (await Promise.all(suites.map((suite) => run(suite, more)))).some((code) => code !== 0);
    else for (const suite of suites) failed = (await run(suite, more)) !== 0 || failed;
  } finally {
    await kafka?.stop();
  }
  const sum = suites.map(({ config }) => counts(reportOf(config))).reduce(add);
  console.log(`\n${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
  process.exit(failed || sum.failed > 0 ? 1 : 0);
}

async function kafkaForTests() {
  if (process.env.KAFKA_TEST_BROKERS) return null;
  try {
    const kafka = await startKafka();
    process.env.KAFKA_TEST_BROKERS = kafka.brokers;
    return kafka;
  } catch (error) {
    if (!(error instanceof KafkaUnavailable) || ENGINES_REQUIRED) throw error;
    console.error(`${error.message}\nWhat needs Kafka is skipped.`);
    return null;
  }
}

async function run({ name, config }, more) {
  const report = reportOf(config);
  rmSync(report, { force: true });
  console.log(`\n== ${name}`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  // With a file name given, the other suite has nothing to run.
  const none = more.length > 0 ? ['--passWithNoTests'] : [];
  const vitest = [
    join('node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--config',
    config,
    ...reporters,
    ...none,
    ...more,
  ];
  const runner = spawn(process.execPath, vitest, {
    cwd: ROOT,
    stdio: 'inherit',
    // NODE_ENV=production would leave checks out of libraries; chDB works in the thread pool.
    env: { UV_THREADPOOL_SIZE: '16', ...process.env, NODE_ENV: 'test' },
  });
  const forward = (signal) => runner.kill(signal);
  process.on('SIGTERM', forward).on('SIGINT', forward);
  const code = await new Promise((resolve) => runner.once('exit', (exit) => resolve(exit ?? 1)));
  process.off('SIGTERM', forward).off('SIGINT', forward);
  return code;
}

function reportOf(config) {
  return join(REPORTS, `${config}.json`);
}

/** A file that could not be loaded holds no test; it counts as one failure. No report at all is one, too. */
function counts(file) {
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0 };
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const unloaded = report.testResults.filter((one) => one.status === 'failed' && one.assertionResults.length === 0);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

function add(a, b) {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
