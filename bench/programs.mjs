// Our own programs, started as `npm start` and `npm run start:gateway` start them.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { end, freePorts, startCommand, stopOnce, until } from './children.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What `npm start` gives to Node.js. */
const FLAGS = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts.start.match(/(?<= )--\S+/g);
const STARTING_MS = 60_000;
/** Nothing answers there: accepting mail asks no statistics. */
const NO_CLICKHOUSE = 'http://127.0.0.1:1/bench';

export class OurProgram {
  /** Login name of every API key over SMTP. */
  static smtpUser = 'resend';
  /** `port` speaks it from the first byte. */
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
    this.login = { user: OurProgram.smtpUser, password: apiKey };
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
   * The relay alone: no delivery, no REST, no statistics in the process. The account is made by a gateway that ran before.
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
   * Everything in one process, on its embedded engines unless `settings` say otherwise.
   * @param {Record<string, string>} settings @param {number[]} [others] processes that belong to it without descending from it
   */
  static async standalone(settings, others = []) {
    const ours = await startProgram('standalone', settings);
    ours.roots.push(...others);
    return ours;
  }
}

const newApiKey = () => `bench-${randomBytes(24).toString('hex')}`;

/** @param {string} program @param {Record<string, string>} settings @returns {Promise<OurProgram>} */
async function startProgram(program, settings) {
  const dataDir = mkdtempSync(join(tmpdir(), `postloft-bench-${program}-`));
  // The database server may run as another user than we do.
  chmodSync(dataDir, 0o755);
  const [httpPort, smtpPort, smtpsPort, inboundPort] = await freePorts(4);
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '/',
    UV_THREADPOOL_SIZE: '16',
    DATA_DIR: dataDir,
    HTTP_PORT: String(httpPort),
    // Where programs without HTTP answer that they live.
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
  const started = startCommand(process.execPath, [...FLAGS, ...extra, main], { cwd: dataDir, env });
  const ours = new OurProgram(started, { apiKey: env.BOOTSTRAP_API_KEY, httpPort, smtpsPort, dataDir });
  try {
    await until(() => isReady(started, httpPort), `start:${program} to be ready`, STARTING_MS);
  } catch (error) {
    await ours.stop();
    throw new Error(`${/** @type {Error} */ (error).message}\n${started.output().slice(-3_000)}`, { cause: error });
  }
  return ours;
}

/** @param {import('./children.mjs').Running} started @param {number} httpPort @returns {Promise<boolean>} */
async function isReady({ child }, httpPort) {
  if (child.exitCode !== null || child.signalCode !== null) throw new Error('the program ended while it started');
  try {
    // Not /readyz: the gateway is measured without the statistics engine that readiness asks for.
    return (await fetch(`http://127.0.0.1:${httpPort}/healthz`)).ok;
  } catch {
    return false;
  }
}
