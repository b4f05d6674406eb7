import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openCluster, SUPERUSER } from './cluster.js';
import { ClusterInUse, GuardedServer, type ServerLaunch } from './guarded-server.js';
import { endPreviousServer } from './previous-server.js';
import { chooseAddress } from './server-address.js';
import { findServerBinaries } from './server-binaries.js';
import { prepareServerPlace } from './server-place.js';
import { serverArguments } from './server-settings.js';

export interface EmbeddedPostgresOptions {
  /** DATA_DIR; the database lives in `postgres` below it. The caller holds the lock of the folder. */
  dataDir: string;
  log: (event: string, fields?: object) => void;
}

const DATABASE = 'postloft';
const UNKNOWN_DATABASE = '3D000';
const RESTART_MS = [100, 500, 1_000, 2_000];
const IN_USE_RETRIES = 20;

/**
 * A real PostgreSQL as a child process, for one process of ours. It never outlives this process, and it is started again
 * when it ends while this process goes on. The URL stays the same all the time.
 */
export class EmbeddedPostgres {
  private stopping = false;
  private readonly supervision: Promise<void>;

  private constructor(
    /** `postgres://…`, for pg and TypeORM; holds the password. */
    readonly url: string,
    private readonly launch: ServerLaunch,
    private server: GuardedServer,
  ) {
    this.supervision = this.superviseServer();
  }

  /**
   * Makes the database at the first start and resolves when it answers.
   * @throws Error with a sentence for the operator where it cannot run here.
   */
  static async start({ dataDir, log }: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const binaries = findServerBinaries();
    mkdirSync(dataDir, { recursive: true });
    const place = prepareServerPlace(resolve(dataDir), binaries);
    if (place.moved)
      log('the database is kept outside the data directory, which its account cannot reach', { folder: place.home });
    const startedAt = Date.now();
    const cluster = await openCluster(place);
    await endPreviousServer(cluster.dir, log);
    const address = await chooseAddress(place);
    const launch = { place, cluster: cluster.dir, args: serverArguments(address.settings), log };
    const server = await startServer(launch);
    const urlOf = (database: string) => address.url({ user: SUPERUSER, password: cluster.password, database });
    try {
      await ensureDatabase(urlOf(DATABASE), urlOf('postgres'));
    } catch (error) {
      await server.stop();
      throw error;
    }
    log('PostgreSQL started', { firstStart: cluster.isNew, ms: Date.now() - startedAt });
    return new EmbeddedPostgres(urlOf(DATABASE), launch, server);
  }

  /** Ends the server in order; resolves when it has ended. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.server.stop();
    await this.supervision;
    await endPreviousServer(this.launch.cluster, this.launch.log); // only when its guard was killed
  }

  private async superviseServer(): Promise<void> {
    for (;;) {
      await this.server.ended;
      if (this.stopping) return;
      this.launch.log('PostgreSQL ended by itself, starting it again');
      await this.startAgain();
    }
  }

  private async startAgain(): Promise<void> {
    for (let attempt = 0; !this.stopping; attempt++) {
      await sleep(RESTART_MS[Math.min(attempt, RESTART_MS.length - 1)]);
      if (this.stopping) return;
      try {
        await endPreviousServer(this.launch.cluster, this.launch.log);
        this.server = await startServer(this.launch);
        if (this.stopping) await this.server.stop();
        return;
      } catch (error) {
        this.launch.log('PostgreSQL could not be started again', { reason: (error as Error).message });
      }
    }
  }
}

/** After a hard end of the server its last processes may hold the memory for a moment longer. */
async function startServer(launch: ServerLaunch): Promise<GuardedServer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await GuardedServer.start(launch);
    } catch (error) {
      if (!(error instanceof ClusterInUse) || attempt === IN_USE_RETRIES) throw error;
      await sleep(250);
    }
  }
}

/** A login with our password also proves that this is our server. */
async function ensureDatabase(url: string, maintenanceUrl: string): Promise<void> {
  try {
    await withClient(url, (client) => client.query('SELECT 1'));
  } catch (error) {
    if ((error as { code?: string }).code !== UNKNOWN_DATABASE) throw error;
    await withClient(maintenanceUrl, (client) => client.query(`CREATE DATABASE ${DATABASE}`));
  }
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
