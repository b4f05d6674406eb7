// The Postloft programs, started like by `npm start` and `npm run start:gateway`.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { end, freePorts, startCommand, stopOnce, until } from './children.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const STARTING_MS = 60_000;
/** A closed port: accepting messages does not need the statistics. */
const NO_CLICKHOUSE = 'http://127.0.0.1:1/bench';

export class PostloftProgram {
  /** Login name of every API key over SMTP. */
  static smtpUser = 'resend';
  /** TLS from the first byte of a connection to `port`. */
  tls = true;
  from = 'orders@sandbox.postloft.test';

  /**
   * @param {import('./children.mjs').Running} started
   * @param {{ apiKey: string, httpPort: number, smtpsPort: number, dataDir: string }} known
   */
  constructor(started, { apiKey, httpPort, smtpsPort, dataDir }) {
    this.started = started;
    this.apiKey = apiKey;
    this.httpPort = httpPort;
    this.port = smtpsPort;
    this.dataDir = dataDir;
    this.login = { user: PostloftProgram.smtpUser, password: apiKey };
    this.roots = [/** @type {number} */ (started.child.pid)];
    this.stop = stopOnce(async () => {
      await end(started.child);
      rmSync(dataDir, { recursive: true, force: true });
    });
  }

  /** The gateway alone: no delivery, no SMTP, no statistics in the process. @param {string} databaseUrl */
  static gateway(databaseUrl) {
    const masterKey = randomBytes(32).toString('base64');
    return startProgram('gateway', { DATABASE_URL: databaseUrl, CLICKHOUSE_URL: NO_CLICKHOUSE, MASTER_KEY: masterKey });
  }

  /**
   * The relay alone: no delivery, no REST, no statistics in the process. The account is created by a gateway that runs
   * before.
   * @param {string} databaseUrl
   */
  static async relay(databaseUrl) {
    const settings = {
      DATABASE_URL: databaseUrl,
      CLICKHOUSE_URL: NO_CLICKHOUSE,
      MASTER_KEY: randomBytes(32).toString('base64'),
      BOOTSTRAP_API_KEY: newApiKey(),
    };
    await (await startProgram('gateway', settings)).stop();
    return startProgram('smtp', settings);
  }

  /**
   * All programs in one process, on embedded engines unless `settings` name others.
   * @param {Record<string, string>} settings @param {number[]} [others] processes measured with it that are not its children
   */
  static async standalone(settings, others = []) {
    const program = await startProgram('standalone', settings);
    program.roots.push(...others);
    return program;
  }
}

const newApiKey = () => `bench-${randomBytes(24).toString('hex')}`;

/** @param {string} program @param {Record<string, string>} settings @returns {Promise<PostloftProgram>} */
async function startProgram(program, settings) {
  const dataDir = mkdtempSync(join(tmpdir(), `postloft-bench-${program}-`));
  // The database server may run as another user.
  chmodSync(dataDir, 0o755);
  const [httpPort, smtpPort, smtpsPort, inboundPort] = await freePorts(4);
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '/',
    DATA_DIR: dataDir,
    HTTP_PORT: String(httpPort),
    // Programs without an HTTP interface answer health checks here.
    ...(program === 'smtp' ? { OPS_HOST: '127.0.0.1', OPS_PORT: String(httpPort) } : {}),
    SMTP_PORT: String(smtpPort),
    SMTPS_PORT: String(smtpsPort),
    INBOUND_SMTP_PORT: String(inboundPort),
    BOOTSTRAP_API_KEY: newApiKey(),
    RATE_LIMIT_PER_SECOND: '0',
    LOG_FORMAT: 'json',
    ...settings,
  };
  const main = join(ROOT, `dist/programs/${program}.js`);
  const extra = (process.env.BENCH_NODE_OPTIONS ?? '').split(' ').filter(Boolean);
  const started = startCommand(process.execPath, [...optionsOf(main), ...extra, main], { cwd: dataDir, env });
  const running = new PostloftProgram(started, { apiKey: env.BOOTSTRAP_API_KEY, httpPort, smtpsPort, dataDir });
  try {
    await until(() => isReady(started, httpPort), `${program} to be ready`, STARTING_MS);
  } catch (error) {
    await running.stop();
    throw new Error(`${/** @type {Error} */ (error).message}\n${started.output().slice(-3_000)}`, { cause: error });
  }
  return running;
}

/** Node.js options in the first line of a program's entry file. @param {string} file */
const optionsOf = (file) =>
  readFileSync(file, 'utf8')
    .split('\n', 1)[0]
    .split(' ')
    .filter((word) => word.startsWith('--'));

/** @param {import('./children.mjs').Running} started @param {number} httpPort @returns {Promise<boolean>} */
async function isReady({ child }, httpPort) {
  if (child.exitCode !== null || child.signalCode !== null) throw new Error('the program exited during its start');
  try {
    // Not /readyz: readiness requires the statistics engine, which is not started.
    return (await fetch(`http://127.0.0.1:${httpPort}/healthz`)).ok;
  } catch {
    return false;
  }
}
