import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openCluster, SUPERUSER } from './cluster.js';
import { ClusterInUseError, SupervisedServer, type ServerOptions } from './supervised-server.js';
import { createDataDir, restrictDataDir } from './data-dir-modes.js';
import { stopStaleServer } from './stale-server.js';
import { chooseAddress } from './server-address.js';
import { findServerBinaries } from './server-binaries.js';
import { prepareServerDirectory } from './server-directory.js';
import { MAX_CONNECTIONS, serverArguments } from './server-settings.js';

export interface EmbeddedPostgresOptions {
  /** DATA_DIR; the database is kept in `postgres` below it. The caller holds the lock of the directory. */
  dataDir: string;
  log: (event: string, fields?: object) => void;
  /** Connections of the program that starts it. */
  connections?: number;
}

/** For commands, the doctor and the operator. */
const SPARE_CONNECTIONS = 30;
const DATABASE = 'postloft';
const UNKNOWN_DATABASE = '3D000';
const RESTART_MS = [100, 500, 1_000, 2_000];
const IN_USE_RETRIES = 20;
/** On a busy machine, a server that is ready may still be slow to fork. */
const CONNECT_MS = 60_000;

/**
 * A PostgreSQL server as a child process. It never outlives this process and is restarted when it ends unexpectedly. The
 * URL stays the same.
 */
export class EmbeddedPostgres {
  private stopping = false;
  private readonly supervision: Promise<void>;

  private constructor(
    /** `postgres://…` with the password. */
    readonly url: string,
    private readonly options: ServerOptions,
    private server: SupervisedServer,
  ) {
    this.supervision = this.superviseServer();
  }

  /**
   * Creates the database at the first start; resolves when it accepts connections.
   * @throws Error with a sentence for the operator when it cannot run on this machine
   */
  static async start({ dataDir, log, connections = 16 }: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const binaries = findServerBinaries();
    createDataDir(dataDir);
    const directory = prepareServerDirectory(resolve(dataDir), binaries);
    restrictDataDir(dataDir, { isPassable: directory.user.kind === 'switched' && !directory.isRelocated });
    if (directory.isRelocated)
      log('the database is kept outside the data directory, which its user cannot access', { folder: directory.path });
    const startedAt = performance.now();
    const cluster = await openCluster(directory);
    await stopStaleServer(cluster.dir, log);
    const address = await chooseAddress(directory);
    const options = {
      directory,
      cluster: cluster.dir,
      args: serverArguments({ ...address.settings, ...connectionLimit(connections) }),
      log,
    };
    const server = await startServer(options);
    const urlOf = (database: string) => address.url({ user: SUPERUSER, password: cluster.password, database });
    try {
      await ensureDatabase(urlOf(DATABASE), urlOf('postgres'));
    } catch (error) {
      await server.stop();
      throw error;
    }
    log('PostgreSQL started', { firstStart: cluster.isNew, ms: Math.round(performance.now() - startedAt) });
    return new EmbeddedPostgres(urlOf(DATABASE), options, server);
  }

  /** Stops the server by a fast shutdown; resolves when it has ended. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.server.stop();
    await this.supervision;
    await stopStaleServer(this.options.cluster, this.options.log); // only when its supervisor was killed
  }

  /** Of the cluster, its password and its socket. */
  get folder(): string {
    return this.options.directory.path;
  }

  private async superviseServer(): Promise<void> {
    for (;;) {
      await this.server.ended;
      if (this.stopping) return;
      this.options.log('PostgreSQL ended unexpectedly and is restarted');
      await this.restart();
    }
  }

  private async restart(): Promise<void> {
    for (let attempt = 0; !this.stopping; attempt++) {
      await sleep(RESTART_MS[Math.min(attempt, RESTART_MS.length - 1)]);
      if (this.stopping) return;
      try {
        await stopStaleServer(this.options.cluster, this.options.log);
        this.server = await startServer(this.options);
        if (this.stopping) await this.server.stop();
        return;
      } catch (error) {
        this.options.log('PostgreSQL could not be restarted', { reason: (error as Error).message });
      }
    }
  }
}

/** Unchanged for the usual pool: more connections need more shared memory. */
function connectionLimit(connections: number): Record<string, string> {
  const wanted = connections + SPARE_CONNECTIONS;
  return wanted > MAX_CONNECTIONS ? { max_connections: String(wanted) } : {};
}

/** After a crash of the server, its last processes may hold the shared memory for a moment. */
async function startServer(options: ServerOptions): Promise<SupervisedServer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await SupervisedServer.start(options);
    } catch (error) {
      if (!(error instanceof ClusterInUseError) || attempt === IN_USE_RETRIES) throw error;
      await sleep(250);
    }
  }
}

/** A login with the password also proves that this is the server of the cluster. */
async function ensureDatabase(url: string, maintenanceUrl: string): Promise<void> {
  try {
    await withClient(url, (client) => client.query('SELECT 1'));
  } catch (error) {
    if ((error as { code?: string }).code !== UNKNOWN_DATABASE) throw error;
    await withClient(maintenanceUrl, (client) => client.query(`CREATE DATABASE ${DATABASE}`));
  }
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
