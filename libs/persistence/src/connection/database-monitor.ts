import { sleep, withTimeout, type Log, type Metrics } from '#libs/kernel';
import pg from 'pg';
import { Counter, Gauge } from 'prom-client';
import { cutConnection, type ConnectionObserver, type ServerError } from './observed-client.js';

const INTERVAL_MS = 250;
/**
 * A server that leaves a trivial statement unanswered for this long is stalled. With the interval, a waiting request gets
 * its 503 within 2 s.
 */
const ANSWER_MS = 1_400;
/** After a blocked event loop or a pause of the process, an answer may wait in the socket. */
const GRACE_MS = 100;
/** A storage problem is over when this long no statement has failed because of it. */
const STORAGE_CALM_MS = 30_000;
const LOG_INTERVAL_MS = 10_000;
const PROBE = `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS "isReadOnly"`;

/**
 * The server cannot store data: disk full, I/O error, missing or damaged file, read-only transaction (PostgreSQL,
 * appendix A).
 */
export const isStorageError = (code: string | undefined): boolean =>
  code !== undefined && /^(53100|58|XX00[12]|25006)/.test(code);

/** The server has not answered in time. The code makes it an unavailable database, see `isUnavailable`. */
class NoAnswer extends Error {
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('the database does not answer');
  }
}

/**
 * Watches the database server of one process with a connection of its own, and all statements for storage errors. When the
 * server stops answering, its connections are cut: statements that wait fail at once instead of minutes later, and their
 * transactions are rolled back.
 */
export class DatabaseMonitor implements ConnectionObserver {
  private readonly clients = new Set<pg.Client>();
  private readonly stopping = new AbortController();
  private probeClient: pg.Client | null = null;
  private loop: Promise<void> | undefined;
  private isStalled = false;
  /** When a statement of any connection was answered last. */
  private answeredAt = -Infinity;
  private isReadOnly = false;
  private storageError: { reason: string; at: number } | null = null;
  /** By SQLSTATE, when an error was logged last. */
  private readonly loggedAt = new Map<string, number>();
  private errors: Counter<'code'> | undefined;

  constructor(private readonly log: Log) {}

  register(metrics: Metrics): void {
    this.errors = new Counter({
      name: 'postloft_database_storage_errors_total',
      help: 'Statements that failed because the database cannot store data, by SQLSTATE.',
      labelNames: ['code'],
      registers: [metrics.registry],
    });
    const isAvailable = () => (this.problem() === null && this.storageProblem() === null ? 1 : 0);
    new Gauge({
      name: 'postloft_database_available',
      help: '1 while the database answers and stores data.',
      registers: [metrics.registry],
      collect() {
        this.set(isAvailable());
      },
    });
  }

  /** @param url of the server, with its password */
  start(url: string): void {
    this.loop ??= this.run(url);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  /** Why the server cannot be used, for readiness; null: it answered a moment ago. */
  problem(): string | null {
    return this.isStalled ? 'the database does not answer' : null;
  }

  /** Why the server stores nothing, for readiness; null: no statement failed because of that lately. */
  storageProblem(): string | null {
    if (this.isReadOnly) return 'the database accepts no writes';
    if (this.storageError === null || performance.now() - this.storageError.at > STORAGE_CALM_MS) return null;
    return this.storageError.reason;
  }

  connectProblem(): Error | null {
    return this.isStalled ? new NoAnswer() : null;
  }

  opened(client: pg.Client): void {
    this.clients.add(client);
  }

  closed(client: pg.Client): void {
    this.clients.delete(client);
  }

  answered(): void {
    this.answeredAt = performance.now();
  }

  serverError({ code, message }: ServerError): void {
    if (code === undefined || !isStorageError(code)) return;
    this.errors?.inc({ code });
    const now = performance.now();
    this.storageError = { reason: message, at: now };
    if (now - (this.loggedAt.get(code) ?? -Infinity) < LOG_INTERVAL_MS) return;
    this.loggedAt.set(code, now);
    this.log.error('the database cannot store data', undefined, { code, reason: message });
  }

  private async run(url: string): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await this.probe(url);
      await sleep(INTERVAL_MS, this.stopping.signal);
    }
    this.closeProbe();
  }

  /**
   * A rejected or refused connection is no stall: connections of the pool may work, and new ones fail by themselves. Neither
   * is a busy server that answers other connections.
   */
  private async probe(url: string): Promise<void> {
    const askedAt = performance.now();
    const answer = this.ask(url).catch((error: Error) => error);
    const first = await withTimeout(answer, ANSWER_MS, () => null);
    const outcome = first ?? (await withTimeout(answer, GRACE_MS, () => null));
    if (this.stopping.signal.aborted) return;
    if (outcome === null || outcome instanceof Error) this.closeProbe();
    this.update({ isStalled: outcome === null && this.answeredAt < askedAt });
    if (outcome !== null && !(outcome instanceof Error)) this.updateReadOnly(outcome.isReadOnly);
  }

  private async ask(url: string): Promise<{ isReadOnly: boolean }> {
    if (this.probeClient === null) {
      const client = new pg.Client({ connectionString: url, application_name: 'postloft-monitor' });
      client.on('error', () => undefined);
      this.probeClient = client;
      await client.connect();
    }
    const { rows } = await this.probeClient.query<{ isReadOnly: boolean }>(PROBE);
    return rows[0];
  }

  private update({ isStalled }: { isStalled: boolean }): void {
    if (this.isStalled === isStalled) return;
    this.isStalled = isStalled;
    if (!isStalled) return this.log.warn('the database answers again');
    this.log.error('the database does not answer; its connections are cut', undefined, {
      connections: this.clients.size,
    });
    for (const client of this.clients) cutConnection(client, new NoAnswer());
  }

  private updateReadOnly(isReadOnly: boolean): void {
    if (this.isReadOnly === isReadOnly) return;
    this.isReadOnly = isReadOnly;
    if (isReadOnly) this.log.error('the database accepts no writes: it is a standby or read-only', undefined);
    else this.log.warn('the database accepts writes again');
  }

  private closeProbe(): void {
    if (this.probeClient !== null) cutConnection(this.probeClient, new NoAnswer());
    this.probeClient = null;
  }
}
