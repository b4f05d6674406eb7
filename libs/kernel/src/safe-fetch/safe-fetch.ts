import { Agent, request, type Dispatcher } from 'undici';
import type { Config } from '../config.js';
import { callFailure, type CallFailure } from './call-failure.js';
import { pinnedConnector } from './pinned-connector.js';
import { TargetResolver } from './target-resolver.js';
import { targetUrlProblems, type TargetUrlProblem } from './target-url.js';

const USER_AGENT = 'Postloft-Fetch/1';

/** Why nothing was fetched, in words that may be shown to the one who named the URL. */
export type FetchFailure =
  CallFailure | 'redirect_not_followed' | 'status_not_200' | 'encoding_not_identity' | 'too_large';

/** `contentType`: as the server wrote it, '' when it did not. */
export type Fetched =
  { kind: 'fetched'; body: Buffer; contentType: string } | { kind: 'failed'; failure: FetchFailure };

export interface FetchLimits {
  /** Counted down while a body arrives; several calls may share one. Below zero the call ends. */
  budget: { bytes: number };
  timeoutMs: number;
}

interface Asked {
  method: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: Buffer;
}

/**
 * Fetches what somebody else's URL names, or hands something over there (promises S-45): judged by its text, resolved once, every address judged, and the
 * connection made to exactly that address. Never follows a redirect, never uses a proxy from the environment, keeps no
 * connection.
 */
export class SafeFetch {
  private readonly agent: Agent;
  private readonly allowPrivate: boolean;

  constructor(config: Config) {
    const { ALLOW_PRIVATE_WEBHOOKS, DNS_SERVERS } = config.settings;
    this.allowPrivate = ALLOW_PRIVATE_WEBHOOKS;
    const resolver = new TargetResolver({ allowPrivate: this.allowPrivate, dnsServers: DNS_SERVERS });
    this.agent = new Agent({ connect: pinnedConnector(resolver), pipelining: 0 });
  }

  /** What the text of a URL is refused for, before anything is asked. */
  problems(url: string): TargetUrlProblem[] {
    return targetUrlProblems(url, { allowPrivate: this.allowPrivate });
  }

  /** Never throws, and is done within `timeoutMs` whatever the other side does. */
  get(url: string, limits: FetchLimits): Promise<Fetched> {
    return this.call(url, { method: 'GET' }, limits);
  }

  /** As `get`; any 2xx is success, and the answer's body is read within the budget and dropped. */
  post(url: string, { type, body }: { type: string; body: Buffer }, limits: FetchLimits): Promise<Fetched> {
    return this.call(url, { method: 'POST', headers: { 'content-type': type }, body }, limits);
  }

  private async call(url: string, asked: Asked, { budget, timeoutMs }: FetchLimits): Promise<Fetched> {
    if (this.problems(url).length > 0) return failed('target_refused');
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    try {
      return await Promise.race([this.fetch(url, { ...asked, signal: late.signal }, budget), ended(late.signal)]);
    } catch (error) {
      return failed(late.signal.aborted ? 'timeout' : callFailure(error));
    } finally {
      clearTimeout(timer);
      // Also ends a call that lost the race while it was still looking up the name.
      late.abort();
    }
  }

  private async fetch(
    url: string,
    { method, headers: own, body: content, signal }: Asked & { signal: AbortSignal },
    budget: { bytes: number },
  ): Promise<Fetched> {
    const { statusCode, headers, body } = await request(url, {
      dispatcher: this.agent,
      method,
      headers: { 'user-agent': USER_AGENT, 'accept-encoding': 'identity', ...own },
      ...(content === undefined ? {} : { body: content }),
      signal,
    });
    const isTaken = method === 'POST' && statusCode >= 200 && statusCode < 300;
    const failure = isTaken ? null : answerFailure(statusCode, headers);
    if (failure === null) return read(body, budget, String(headers['content-type'] ?? ''));
    discard(body);
    return failed(failure);
  }
}

const failed = (failure: FetchFailure): Fetched => ({ kind: 'failed', failure });

/** The client heeds a signal only once it has a socket; the wait for name servers must be ended from outside. */
function ended(signal: AbortSignal): Promise<Fetched> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(failed('timeout')), { once: true });
  });
}

function answerFailure(status: number, headers: Dispatcher.ResponseData['headers']): FetchFailure | null {
  if (status >= 300 && status < 400) return 'redirect_not_followed';
  if (status !== 200) return 'status_not_200';
  return String(headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity'
    ? null
    : 'encoding_not_identity';
}

async function read(
  body: Dispatcher.ResponseData['body'],
  budget: { bytes: number },
  contentType: string,
): Promise<Fetched> {
  const chunks: Buffer[] = [];
  for await (const chunk of body as AsyncIterable<Buffer>) {
    budget.bytes -= chunk.length;
    if (budget.bytes < 0) {
      discard(body);
      return failed('too_large');
    }
    chunks.push(chunk);
  }
  return { kind: 'fetched', body: Buffer.concat(chunks), contentType };
}

/** Destroying early is an error to the stream, and one without a listener would end the process. */
function discard(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => undefined);
  body.destroy();
}
