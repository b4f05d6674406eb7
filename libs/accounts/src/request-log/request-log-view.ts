/** The API representation of a request; timestamps are ISO 8601 UTC. */
export interface RequestLogView {
  id: string;
  object: 'log';
  request_id: string;
  method: string;
  /** The path without the query; parts that may be addresses or secrets are replaced by their parameter name. */
  endpoint: string;
  response_status: number;
  /** The `name` of the error in the response. */
  error: string | null;
  user_agent: string | null;
  ip: string | null;
  api_key_id: string;
  latency_ms: number;
  /** The time of the response. */
  created_at: string;
}

export interface RequestLogRow {
  id: string;
  request_id: string;
  method: string;
  path: string;
  status: number;
  error: string | null;
  user_agent: string | null;
  ip: string | null;
  api_key_id: string;
  latency_ms: number;
  created_at: Date;
}

export const REQUEST_COLUMNS =
  'id, request_id, method, path, status, error, user_agent, ip, api_key_id, latency_ms, created_at';

export function toRequestLogView(row: RequestLogRow): RequestLogView {
  return {
    id: row.id,
    object: 'log',
    request_id: row.request_id,
    method: row.method,
    endpoint: row.path,
    response_status: row.status,
    error: row.error,
    user_agent: row.user_agent,
    ip: row.ip,
    api_key_id: row.api_key_id,
    latency_ms: row.latency_ms,
    created_at: row.created_at.toISOString(),
  };
}
