import { isId, newId, timeOfId, visibleDomains, type Page, type PageRequest, type Visibility } from '#libs/contracts';
import { Config, databaseClock, Log, Shutdown } from '#libs/kernel';
import { Database, Partitions, type Expired, databaseErrors } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { listRequests, requestVisibility, visibleRequests, type RequestLogFilter } from './list.js';
import { RequestLogQueue } from './write-queue.js';
import { loggedRequest, type RequestLogRow, type RequestLogView } from '../logged-request.resource.js';

/** A completed, authenticated request. The caller must leave out bodies, keys and email addresses. */
export interface LoggedRequest {
  /** The part of the account that the key sees at the time of the request. */
  visibility: Visibility;
  apiKeyId: string;
  requestId: string;
  method: string;
  path: string;
  status: number;
  /** The `name` of a refusal. */
  error: string | null;
  userAgent: string | null;
  ip: string | null;
  latencyMs: number;
}

const { columns } = loggedRequest;
const INSERT = `
  INSERT INTO request_log (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::request_log, $1::json)`;

/** The API requests of each account of the last days (RETENTION_REQUEST_LOG). Written asynchronously in batches. */
@Injectable()
export class RequestLog {
  private readonly queue: RequestLogQueue;

  constructor(
    private readonly database: Database,
    private readonly partitions: Partitions,
    private readonly config: Config,
    log: Log,
    shutdown: Shutdown,
  ) {
    this.queue = new RequestLogQueue((lines) => this.insert(lines), log);
    shutdown.on('flush', 'request log', () => this.queue.flush());
  }

  /** Takes a few microseconds, never fails and never waits. */
  add(request: LoggedRequest): void {
    const id = newId('log');
    // Serialised immediately: strings of a request would keep its whole buffer in memory.
    const row: RequestLogRow = {
      id,
      account_id: request.visibility.accountId,
      api_key_id: request.apiKeyId,
      request_id: request.requestId,
      method: request.method,
      path: request.path,
      status: request.status,
      error: request.error,
      user_agent: request.userAgent,
      ip: request.ip,
      latency_ms: request.latencyMs,
      created_at: timeOfId(id),
      test: request.visibility.mode === 'test',
      domain_ids: visibleDomains(request.visibility),
    };
    this.queue.add(JSON.stringify(row));
  }

  /** Newest first. A page may be short although there are more, see `listRequests`. */
  list(visibility: Visibility, request: PageRequest, filter: RequestLogFilter = {}): Promise<Page<RequestLogView>> {
    return listRequests(this.database, { visibility, request, filter, keptFrom: this.keptFrom(databaseClock.date()) });
  }

  /** Null for an unknown id, for a request of another account, and for one of a key that sees more than `visibility`. */
  async find(visibility: Visibility, id: string): Promise<RequestLogView | null> {
    if (!isId('log', id)) return null;
    const { rows } = await this.database.query<RequestLogRow>(
      `SELECT ${loggedRequest.columns} FROM request_log WHERE account_id = $1 AND id = $2 AND ${visibleRequests(3)}`,
      [visibility.accountId, id, ...requestVisibility(visibility)],
    );
    return rows.length === 0 ? null : loggedRequest.toView(rows[0], { object: 'log' });
  }

  /** Drops the days that are older than RETENTION_REQUEST_LOG. */
  prune(now = databaseClock.date()): Promise<Expired> {
    return this.partitions.expire('request_log', this.keptFrom(now));
  }

  overdueSince(now: Date): Promise<Date | null> {
    return this.partitions.overdueSince('request_log', this.config.settings.RETENTION_REQUEST_LOG, now);
  }

  private keptFrom(now: Date): Date {
    return new Date(now.getTime() - this.config.settings.RETENTION_REQUEST_LOG);
  }

  private async insert(lines: string[]): Promise<void> {
    try {
      await this.database.query({ name: 'request-log-insert', text: INSERT, values: [`[${lines.join(',')}]`] });
    } catch (error) {
      // The batch is one statement: if one of its rows exists, an earlier attempt has written all of them.
      if (!databaseErrors.isDuplicate(error)) throw error;
    }
  }
}
