import { newId, timeOfId, visibleDomains, type Page, type PageRequest, type Visibility } from '#libs/contracts';
import { Log, Shutdown } from '#libs/kernel';
import { Database, isDuplicate } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { listRequests, requestVisibility, visibleRequests, type RequestLogFilter } from './list.js';
import { RequestLogQueue } from './write-queue.js';
import { toRequestLogView, REQUEST_COLUMNS, type RequestLogRow, type RequestLogView } from './request-log-view.js';

/** A completed, authenticated request. The caller must leave out bodies, keys and e-mail addresses. */
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

const RETENTION_DAYS = 30;
/** Rows per transaction, for short locks. */
const PRUNE_BATCH = 1_000;

const INSERT = `
  INSERT INTO request_log (id, account_id, api_key_id, request_id, method, path, status, error, user_agent, ip,
                           latency_ms, created_at, test, domain_ids)
  SELECT * FROM json_to_recordset($1::json) AS line(id text, account_id text, api_key_id text, request_id text,
    method text, path text, status smallint, error text, user_agent text, ip text, latency_ms int,
    created_at timestamptz, test boolean, domain_ids text[])`;

const PRUNE = `
  DELETE FROM request_log WHERE ctid IN (
    SELECT ctid FROM request_log WHERE created_at < now() - make_interval(days => $1) LIMIT $2
      FOR UPDATE SKIP LOCKED)`;

/** The API requests of each account of the last 30 days. Written asynchronously in batches. */
@Injectable()
export class RequestLog {
  private readonly queue: RequestLogQueue;

  constructor(
    private readonly database: Database,
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
    const line = JSON.stringify({
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
    });
    this.queue.add(line);
  }

  /** Newest first. A page may be short although there are more, see `listRequests`. */
  list(visibility: Visibility, request: PageRequest, filter: RequestLogFilter = {}): Promise<Page<RequestLogView>> {
    return listRequests(this.database, { visibility, request, filter });
  }

  /** Null for an unknown id, for a request of another account, and for one of a key that sees more than `visibility`. */
  async find(visibility: Visibility, id: string): Promise<RequestLogView | null> {
    const { rows } = await this.database.query<RequestLogRow>(
      `SELECT ${REQUEST_COLUMNS} FROM request_log WHERE account_id = $1 AND id = $2 AND ${visibleRequests(3)}`,
      [visibility.accountId, id, ...requestVisibility(visibility)],
    );
    return rows.length === 0 ? null : toRequestLogView(rows[0]);
  }

  /** Deletes rows older than 30 days and returns their number. Several processes may run it at once. */
  async prune(): Promise<number> {
    let removed = 0;
    for (;;) {
      const { rowCount } = await this.database.query(PRUNE, [RETENTION_DAYS, PRUNE_BATCH]);
      removed += rowCount;
      if (rowCount < PRUNE_BATCH) return removed;
    }
  }

  private async insert(lines: string[]): Promise<void> {
    try {
      await this.database.query({ name: 'request-log-insert', text: INSERT, values: [`[${lines.join(',')}]`] });
    } catch (error) {
      // The batch is one statement: if one of its rows exists, an earlier attempt has written all of them.
      if (!isDuplicate(error)) throw error;
    }
  }
}
