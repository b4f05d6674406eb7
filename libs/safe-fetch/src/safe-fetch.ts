import { Config } from '#libs/kernel';
import { Injectable } from '@nestjs/common';
import { Agent, request, type Dispatcher } from 'undici';
import { connectionFailure, type ConnectionFailure, type FetchFailure } from './fetch-failure.js';
import { pinnedConnector } from './pinned-connector.js';
import { TargetResolver } from './target-resolver.js';
import { targetUrlProblems, type TargetUrlProblem } from './target-url.js';

const USER_AGENT = 'Postloft-Fetch/1';

/** `contentType` is the header as it came; '' without one. */
export type Fetched =
  { kind: 'fetched'; body: Buffer; contentType: string } | { kind: 'failed'; failure: FetchFailure };

/** Whether a URL answers; no body is read. `location` is that of a redirect, resolved against the URL. */
export type Answered =
  { kind: 'answered'; status: number; location: string | null } | { kind: 'failed'; failure: ConnectionFailure };

export interface FetchLimits {
  /** Decreases while a body arrives; several requests may share it. Below zero the request ends. */
  budget: { bytes: number };
  timeoutMs: number;
}

interface Content {
  method: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: Buffer;
}

/**
 * HTTP requests to URLs that customers or other servers chose: the URL is checked, its name is resolved once, every
 * address is checked, and the connection is made to exactly the checked address. Follows no redirects, ignores proxies of
 * the environment, keeps no connections open.
 */
@Injectable()
export class SafeFetch {
  private readonly agent: Agent;
  private readonly allowPrivate: boolean;

  constructor(config: Config) {
    const { ALLOW_PRIVATE_WEBHOOKS, DNS_SERVERS } = config.settings;
    this.allowPrivate = ALLOW_PRIVATE_WEBHOOKS;
    const resolver = new TargetResolver({ allowPrivate: this.allowPrivate, dnsServers: DNS_SERVERS });
    this.agent = new Agent({ connect: pinnedConnector(resolver), pipelining: 0 });
  }

  /** Checks the text of a URL, without resolving it. */
  problems(url: string): TargetUrlProblem[] {
    return targetUrlProblems(url, { allowPrivate: this.allowPrivate });
  }

  /** Never rejects, and ends within `timeoutMs` whatever the server does. */
  get(url: string, limits: FetchLimits): Promise<Fetched> {
    return this.send(url, { method: 'GET' }, limits);
  }

  /** As `get`; any 2xx is a success. The body of the response is read within the budget. */
  post(url: string, { type, body }: { type: string; body: Buffer }, limits: FetchLimits): Promise<Fetched> {
    return this.send(url, { method: 'POST', headers: { 'content-type': type }, body }, limits);
  }

  /**
   * A HEAD request, which must change nothing at the server (RFC 9110 section 9.3.2). Public addresses may be asked over
   * http too. Never rejects, and ends within `timeoutMs`.
   */
  async head(url: string, { timeoutMs }: { timeoutMs: number }): Promise<Answered> {
    const problems = targetUrlProblems(url, { allowPrivate: this.allowPrivate, allowHttp: true });
    if (problems.length > 0) return { kind: 'failed', failure: 'target_refused' };
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    try {
      return await Promise.race([this.ask(url, late.signal), endOf(late.signal)]);
    } catch (error) {
      return { kind: 'failed', failure: late.signal.aborted ? 'timeout' : connectionFailure(error) };
    } finally {
      clearTimeout(timer);
      late.abort();
    }
  }

  private async ask(url: string, signal: AbortSignal): Promise<Answered> {
    const { statusCode, headers, body } = await request(url, {
      dispatcher: this.agent,
      method: 'HEAD',
      headers: { 'user-agent': USER_AGENT },
      signal,
    });
    discard(body);
    return { kind: 'answered', status: statusCode, location: locationOf(url, headers['location']) };
  }

  private async send(url: string, content: Content, { budget, timeoutMs }: FetchLimits): Promise<Fetched> {
    if (this.problems(url).length > 0) return failed('target_refused');
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    try {
      return await Promise.race([this.fetch(url, { ...content, signal: late.signal }, budget), endOf(late.signal)]);
    } catch (error) {
      return failed(late.signal.aborted ? 'timeout' : connectionFailure(error));
    } finally {
      clearTimeout(timer);
      // Also ends a request that lost the race while its name was being resolved.
      late.abort();
    }
  }

  private async fetch(
    url: string,
    { method, headers: own, body: content, signal }: Content & { signal: AbortSignal },
    budget: { bytes: number },
  ): Promise<Fetched> {
    const { statusCode, headers, body } = await request(url, {
      dispatcher: this.agent,
      method,
      headers: { 'user-agent': USER_AGENT, 'accept-encoding': 'identity', ...own },
      ...(content === undefined ? {} : { body: content }),
      signal,
    });
    const isAccepted = method === 'POST' && statusCode >= 200 && statusCode < 300;
    const failure = isAccepted ? null : responseFailure(statusCode, headers);
    if (failure === null) return read(body, budget, String(headers['content-type'] ?? ''));
    discard(body);
    return failed(failure);
  }
}

const failed = (failure: FetchFailure): Fetched => ({ kind: 'failed', failure });

/** The client observes a signal only once it has a socket; the wait for name servers must be ended from outside. */
function endOf(signal: AbortSignal): Promise<{ kind: 'failed'; failure: 'timeout' }> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ kind: 'failed', failure: 'timeout' }), { once: true });
  });
}

function locationOf(url: string, header: string | string[] | undefined): string | null {
  const target = typeof header === 'string' && URL.canParse(header, url) ? new URL(header, url) : null;
  if (target === null) return null;
  target.hash = '';
  return target.href;
}

function responseFailure(status: number, headers: Dispatcher.ResponseData['headers']): FetchFailure | null {
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

/** Destroying a stream early makes it emit an error, which would end the process without a listener. */
function discard(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => undefined);
  body.destroy();
}
