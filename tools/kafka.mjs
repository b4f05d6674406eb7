// Runs Apache Kafka on this machine, for tests and for trying the distributed programs: one broker that is its own
// controller, downloaded from Maven Central to .tools/kafka. Requires Java 17 and Maven.
//
//   node tools/kafka.mjs start [--dir DIR] [--port N]   prints KAFKA_BROKERS=127.0.0.1:N when ready, then keeps running
//   node tools/kafka.mjs fetch                          only downloads the jars
//
// `start` stops on SIGTERM, on Ctrl-C, and when the pipe at its standard input closes. The broker stops with it.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, fstatSync, mkdirSync, mkdtempSync, openSync, closeSync, renameSync, rmSync } from 'node:fs';
import { readFileSync, writeFileSync } from 'node:fs';
import { randomBytes, randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** The newest release whose jars are on Maven Central. */
const KAFKA_VERSION = '4.3.1';
/** The SLF4J version of this Kafka release; without a binding its errors would be lost. */
const SLF4J_VERSION = '1.7.36';
const TOOLS_DIR = join(dirname(dirname(fileURLToPath(import.meta.url))), '.tools', 'kafka');
const READY_MS = 60_000;
const STOP_MS = 15_000;

/**
 * Holds a pipe from this process: when the pipe closes, for whatever reason, the broker gets SIGTERM. The first line of
 * standard output is the process id of the broker.
 */
const GUARD = `exec 3<&0; "$@" 3<&- </dev/null >&2 & p=$!; echo $p
  trap "kill -TERM $p" INT TERM
  { read _ <&3; kill -TERM $p; } >/dev/null 2>&1 &
  w=$!
  while kill -0 $p 2>/dev/null; do wait $p; done
  kill $w 2>/dev/null`;

/** Java, Maven or the jars are missing. The message says which one; tests that need Kafka are then skipped. */
export class KafkaUnavailable extends Error {}

/** @returns {string | null} why Kafka cannot run here, or null; checks the programs, not the network. */
export function kafkaMissing() {
  const java = spawnSync(javaCommand(), ['-version'], { encoding: 'utf8' });
  const major = Number(/version "(\d+)/.exec(java.stderr ?? '')?.[1] ?? 0);
  if (java.error || major < 17)
    return 'Apache Kafka requires Java 17 or newer (Debian: apt-get install openjdk-17-jre-headless).';
  if (existsSync(jarsDir())) return null;
  const maven = spawnSync('mvn', ['-v'], { encoding: 'utf8' });
  return maven.error || maven.status !== 0
    ? 'Downloading Apache Kafka requires Maven (Debian: apt-get install maven).'
    : null;
}

/**
 * Downloads the jars unless they exist. Concurrent processes both download them; one result is kept.
 * @returns {Promise<string>} the class path
 */
export async function fetchKafka() {
  const missing = kafkaMissing();
  if (missing !== null) throw new KafkaUnavailable(missing);
  if (!existsSync(jarsDir())) {
    mkdirSync(TOOLS_DIR, { recursive: true });
    const work = mkdtempSync(join(TOOLS_DIR, 'fetch-'));
    try {
      await resolveJars(work);
      if (!existsSync(jarsDir())) renameSync(join(work, 'jars'), jarsDir());
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
  return join(jarsDir(), '*');
}

/**
 * Starts one broker on loopback; resolves when it answers requests.
 * @param {{ dir?: string, port?: number }} [options] dir: folder of topics and logs (default: a new folder below .tools,
 *   deleted by `stop`); port: default a free one
 */
export async function startKafka(options = {}) {
  const classPath = await fetchKafka();
  const ownDir = options.dir === undefined;
  if (ownDir) mkdirSync(TOOLS_DIR, { recursive: true });
  const dir = ownDir ? mkdtempSync(join(TOOLS_DIR, 'broker-')) : resolve(options.dir);
  const port = options.port || (await freePort());
  await format({ dir, port, classPath });
  let broker = await launch({ dir, port, classPath });
  return {
    brokers: `127.0.0.1:${port}`,
    dir,
    /** Stops the broker. Its data is kept if `dir` was given. */
    async stop() {
      await end(broker, 'SIGTERM');
      if (ownDir) rmSync(dir, { recursive: true, force: true });
    },
    /** Stops the broker (with SIGKILL if `hard`) and starts it again on the same port with the same data. */
    async restart({ hard = false } = {}) {
      await end(broker, hard ? 'SIGKILL' : 'SIGTERM');
      broker = await launch({ dir, port, classPath });
    },
    /** Suspends the broker, so that it accepts connections but does not answer; `thaw` resumes it. */
    freeze: () => process.kill(broker.pid, 'SIGSTOP'),
    thaw: () => process.kill(broker.pid, 'SIGCONT'),
    /** Resolves when the broker has exited for any reason. */
    ended: () => broker.ended,
  };
}

function jarsDir() {
  return join(TOOLS_DIR, KAFKA_VERSION);
}

function javaCommand() {
  return process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java';
}

async function resolveJars(work) {
  const dependency = (group, artifact, version) =>
    `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
  writeFileSync(
    join(work, 'pom.xml'),
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>local</groupId><artifactId>kafka-jars</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>
${dependency('org.apache.kafka', 'kafka_2.13', KAFKA_VERSION)}
${dependency('org.slf4j', 'slf4j-simple', SLF4J_VERSION)}
</dependencies></project>\n`,
  );
  console.error(`Downloading Apache Kafka ${KAFKA_VERSION} (44 MB) with Maven …`);
  const args = ['-B', '-q', 'dependency:copy-dependencies', '-DincludeScope=runtime', '-DoutputDirectory=jars'];
  const { failed, output } = await outcomeOf('mvn', args, { cwd: work, timeout: 300_000 });
  if (failed) throw new KafkaUnavailable(`Downloading Apache Kafka with Maven failed:\n${firstLines(output)}`);
}

/** Asynchronous, so that other set-up continues meanwhile. */
function outcomeOf(command, args, options = {}) {
  return new Promise((done) =>
    execFile(command, args, options, (error, out, err) => done({ failed: error !== null, output: `${out}${err}` })),
  );
}

function firstLines(text) {
  return text.split('\n').filter(Boolean).slice(0, 3).join('\n');
}

/** Formats an empty data folder. The settings file is always rewritten, because the ports may differ. */
async function format({ dir, port, classPath }) {
  mkdirSync(dir, { recursive: true });
  const settings = join(dir, 'server.properties');
  writeFileSync(settings, properties({ dir, port, controllerPort: await freePort() }));
  if (existsSync(join(dir, 'topics', 'meta.properties'))) return;
  const args = ['-cp', classPath, 'kafka.tools.StorageTool', 'format', '-t', clusterId(), '-c', settings];
  const { failed, output } = await outcomeOf(javaCommand(), args);
  if (failed) throw new Error(`Formatting Kafka's data folder failed:\n${output}`);
}

/** Kafka requires a UUID in URL-safe base64 that does not begin with a dash. */
function clusterId() {
  return `A${randomBytes(16).toString('base64url').slice(1)}`;
}

function properties({ dir, port, controllerPort }) {
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=${join(dir, 'topics')}
num.partitions=4
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
`;
}

async function launch({ dir, port, classPath }) {
  const output = openSync(join(dir, 'kafka.log'), 'a');
  const java = [javaCommand(), '-Xms128m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
  const logging = ['-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', '-Dorg.slf4j.simpleLogger.showDateTime=true'];
  const program = ['-cp', classPath, 'kafka.Kafka', join(dir, 'server.properties')];
  const guard = spawn('/bin/sh', ['-c', GUARD, 'kafka', ...java, ...logging, ...program], {
    stdio: ['pipe', 'pipe', output],
    detached: true, // Ctrl-C reaches this process only, which then stops the broker
  });
  closeSync(output);
  guard.stdin.on('error', () => undefined); // the guard may exit before the pipe is closed
  const ended = new Promise((done) => guard.once('close', done));
  const pid = Number(await new Promise((done) => guard.stdout.once('data', (line) => done(`${line}`.trim()))));
  const broker = { pid, ended, guard, running: true };
  void ended.then(() => (broker.running = false));
  await untilReady({ broker, port, dir });
  return broker;
}

async function untilReady({ broker, port, dir }) {
  const deadline = Date.now() + READY_MS;
  while (!(await answers(port))) {
    if (broker.running && Date.now() < deadline) {
      await new Promise((done) => setTimeout(done, 200));
      continue;
    }
    await end(broker, 'SIGKILL');
    throw new Error(`Kafka did not start:\n${readFileSync(join(dir, 'kafka.log'), 'utf8').slice(-2000)}`);
  }
}

/** Requests the API versions (request 18, version 0), which the broker answers once it accepts requests. */
function answers(port) {
  const request = Buffer.from([0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0xff, 0xff]);
  return new Promise((done) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(request));
    const finish = (answer) => {
      socket.destroy();
      done(answer);
    };
    socket.setTimeout(2_000, () => finish(false));
    socket.once('data', () => finish(true));
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
  });
}

async function end(broker, signal) {
  if (!broker.running) return;
  kill(broker.pid, 'SIGCONT');
  kill(broker.pid, signal);
  const late = setTimeout(() => kill(broker.pid, 'SIGKILL'), STOP_MS);
  await broker.ended;
  clearTimeout(late);
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Below the ephemeral range, so that no outgoing connection can take the port meanwhile. */
async function freePort() {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(15_000, 32_000);
    const server = createServer();
    const free = await new Promise((done) => {
      server.once('error', () => done(false));
      server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
    });
    if (free) return port;
  }
  throw new Error('no free port below 32000');
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { dir: { type: 'string' }, port: { type: 'string' } },
  });
  if (positionals[0] === 'fetch') return void (await fetchKafka());
  if (positionals[0] !== 'start') throw new KafkaUnavailable('usage: kafka.mjs start [--dir DIR] [--port N] | fetch');
  const kafka = await startKafka({ dir: values.dir, port: Number(values.port ?? 0) });
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    await kafka.stop();
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());
  const input = fstatSync(0);
  if (input.isFIFO() || input.isSocket()) process.stdin.on('end', () => void stop()).resume();
  console.log(`KAFKA_BROKERS=${kafka.brokers}`);
  await kafka.ended();
  if (!stopping) throw new Error(`Kafka exited unexpectedly; see ${join(kafka.dir, 'kafka.log')}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((error) => {
    console.error(error instanceof KafkaUnavailable ? error.message : error);
    process.exit(1);
  });
}
