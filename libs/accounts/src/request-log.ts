import { newId, timeOfId, type Page, type PageRequest } from '#libs/contracts';
import { Log, Shutdown } from '#libs/kernel';
import { Database, isDuplicate } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { lookThrough, type RequestLogFilter } from './request-log-list.js';
import { RequestLogQueue } from './request-log-queue.js';
import { presentRequest, REQUEST_COLUMNS, type RequestLogRow, type RequestLogView } from './request-log-view.js';

/** An authenticated request that was answered. Free of bodies, keys and e-mail addresses: whoever makes one sees to it. */
export interface LoggedRequest {
  accountId: string;
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

const KEPT_DAYS = 30;
/** Lines of one transaction: short locks, and room for others between two of them. */
const PRUNED = 1_000;

const INSERT = `
  INSERT INTO request_log (id, account_id, api_key_id, request_id, method, path, status, error, user_agent, ip,
                           latency_ms, created_at)
  SELECT * FROM json_to_recordset($1::json) AS line(id text, account_id text, api_key_id text, request_id text,
    method text, path text, status smallint, error text, user_agent text, ip text, latency_ms int,
    created_at timestamptz)`;

const PRUNE = `
  DELETE FROM request_log WHERE ctid IN (
    SELECT ctid FROM request_log WHERE created_at < now() - make_interval(days => $1) LIMIT $2
      FOR UPDATE SKIP LOCKED)`;

/** What each account asked of the API and what it was answered, for 30 days. Written a moment later, in batches. */
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

  /** Takes a few microseconds, never fails, and waits for nothing. */
  add(request: LoggedRequest): void {
    const id = newId('log');
    // As text at once: parts of a request would keep all of it in memory for as long as the line waits.
    const line = JSON.stringify({
      id,
      account_id: request.accountId,
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
    });
    this.queue.add(line);
  }

  /** Newest first. A page may be short and still say that there is more: see `lookThrough`. */
  list(accountId: string, request: PageRequest, filter: RequestLogFilter = {}): Promise<Page<RequestLogView>> {
    return lookThrough(this.database, { accountId, request, filter });
  }

  /** Null for an unknown id and for another account's. */
  async find(accountId: string, id: string): Promise<RequestLogView | null> {
    const { rows } = await this.database.query<RequestLogRow>(
      `SELECT ${REQUEST_COLUMNS} FROM request_log WHERE account_id = $1 AND id = $2`,
      [accountId, id],
    );
    return rows.length === 0 ? null : presentRequest(rows[0]);
  }

  /** Removes what is older than 30 days. Safe to run in any number of processes. Returns how many lines went. */
  async prune(): Promise<number> {
    let removed = 0;
    for (;;) {
      const { rowCount } = await this.database.query(PRUNE, [KEPT_DAYS, PRUNED]);
      removed += rowCount;
      if (rowCount < PRUNED) return removed;
    }
  }

  private async insert(lines: string[]): Promise<void> {
    try {
      await this.database.query({ name: 'request-log-insert', text: INSERT, values: [`[${lines.join(',')}]`] });
    } catch (error) {
      // The batch is one statement: if one of its lines is there, an attempt whose answer was lost has written them all.
      if (!isDuplicate(error)) throw error;
    }
  }
}
