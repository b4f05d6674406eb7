import { noticeTrouble } from './outage.ts';
import { announceSessionEnd } from './session-end.ts';

/** A refused value, as the API describes it. */
export interface ApiDetail {
  field?: string;
  message?: string;
  code?: string;
}

/** A refused request, as the API describes it. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
    /** The machine-readable code, such as `validation_error`. */
    readonly code: string,
    readonly requestId: string | null,
    readonly details: ApiDetail[] = [],
    /** Seconds after which the request may succeed, if the server says so. */
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }
}

const ACCOUNT_KEY = 'account';

let shown: string | null = null;

/**
 * The account that this page shows, whatever another tab has chosen since. Before the session is known, the one that was
 * chosen last; null for none.
 */
export const selectedAccount = (): string | null => shown ?? localStorage.getItem(ACCOUNT_KEY);

/** Fixes the account of all requests of this page; false if the page shows another one already. */
export function showAccount(id: string): boolean {
  shown ??= id;
  return shown === id;
}

/** Remembers the account for the next page that is loaded. */
export function selectAccount(id: string | null): void {
  if (id === null) localStorage.removeItem(ACCOUNT_KEY);
  else localStorage.setItem(ACCOUNT_KEY, id);
}

/** Headers that select the account of a request. */
export function accountHeaders(): Record<string, string> {
  const account = selectedAccount();
  return account === null ? {} : { 'x-account-id': account };
}

interface ErrorBody {
  message?: string;
  error?: string;
  details?: ApiDetail[];
}

/** Calls a route of this host, with JSON or a CSV file; undefined for an empty response. @throws ApiError for a refusal or without a connection */
export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { method, ...contentOf(body) });
  } catch {
    noticeTrouble(0);
    throw new ApiError('The server cannot be reached. Check the connection and try again.', 0, 'network_error', null);
  }
  const text = await response.text();
  const parsed = parseJson(text);
  if (response.ok) return parsed as T;
  noticeTrouble(response.status);
  const { message, error, details } = (parsed ?? {}) as ErrorBody;
  if (details?.some(({ code }) => code === 'not_logged_in')) announceSessionEnd();
  throw new ApiError(
    message ?? `The server responded with ${response.status}.`,
    response.status,
    error ?? 'unknown_error',
    response.headers.get('x-request-id'),
    details,
    secondsOf(response),
  );
}

/** Fetches a text of this account; a link could not select the account. @throws ApiError for a refusal */
export async function fetchText(path: string): Promise<string> {
  const response = await fetch(path, { headers: accountHeaders() });
  if (response.ok) return response.text();
  const gone = response.status === 404;
  const message = gone ? 'This email is no longer stored.' : `The server responded with ${response.status}.`;
  throw new ApiError(message, response.status, 'unknown_error', response.headers.get('x-request-id'));
}

/** `Retry-After` in seconds (RFC 9110 section 10.2.3); the service sends no dates. */
function secondsOf({ headers }: Response): number | null {
  const seconds = Number(headers.get('retry-after') ?? '');
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null;
}

function contentOf(body: unknown): RequestInit {
  const headers = accountHeaders();
  if (body === undefined) return { headers };
  if (body instanceof Blob) return { headers: { ...headers, 'content-type': 'text/csv' }, body };
  return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function parseJson(text: string): unknown {
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}
