import { Config, parseUrl } from '#libs/kernel';
import { Injectable } from '@nestjs/common';
import { Client, request, type Dispatcher } from 'undici';
import { connectionFailure, type ConnectionFailure, type FetchFailure, type PermitFailure } from './fetch-failure.js';
import { FetchPermits, NoPermit, type Requester } from './fetch-permits.js';
import { pinnedOpener, type Socket } from './pinned-connector.js';
import { TargetResolver } from './target-resolver.js';
import { targetUrlProblems, type TargetUrlProblem } from './target-url.js';

const USER_AGENT = 'Postloft-Fetch/1';
/** Shared by all instances of this process. */
const permits = new FetchPermits();

/**
 * `contentType` is the header as it came; '' without one. `location` is that of a redirect, resolved against the URL; a
 * redirect is a failure.
 */
export type Fetched =
  | { kind: 'fetched'; body: Buffer; contentType: string }
  | { kind: 'failed'; failure: FetchFailure; location?: string };

/** Whether a URL answers; no body is read. `location` is that of a redirect, resolved against the URL. */
export type Answered =
  | { kind: 'answered'; status: number; location: string | null }
  | { kind: 'failed'; failure: ConnectionFailure | PermitFailure };

/** The time of a request begins when it has a permit (`FetchPermits`). */
interface TimeLimit extends Requester {
  timeoutMs: number;
}

export interface FetchLimits extends TimeLimit {
  /** Decreases while a body arrives; several requests may share it. Below zero the request ends. */
  budget: { bytes: number };
  /** Permits http for public addresses, for content that needs no protection on its way. */
  allowHttp?: boolean;
}

interface Content {
  method: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: Buffer;
}

/**
 * HTTP requests to URLs that customers or other servers chose: the URL is checked, its name is resolved once, every
 * address is checked, and the connection is made to exactly the checked address. Follows no redirects, ignores proxies of
 * the environment, keeps no connections open. The number of requests at once is limited (`FetchPermits`).
 */
@Injectable()
export class SafeFetch {
  private readonly open: (options: ConnectOptions, signal: AbortSignal) => Promise<Socket>;
  private readonly allowPrivate: boolean;

  constructor(config: Config) {
    const { ALLOW_PRIVATE_WEBHOOKS, DNS_SERVERS } = config.settings;
    this.allowPrivate = ALLOW_PRIVATE_WEBHOOKS;
    const resolver = new TargetResolver({ allowPrivate: this.allowPrivate, dnsServers: DNS_SERVERS });
    this.open = pinnedOpener(resolver);
  }

  /** Checks the text of a URL, without resolving it. */
  problems(url: string): TargetUrlProblem[] {
    return targetUrlProblems(url, { allowPrivate: this.allowPrivate });
  }

  /** Never rejects, and ends within `timeoutMs` after it has a permit, whatever the server does. */
  get(url: string, limits: FetchLimits): Promise<Fetched> {
    return this.send(url, { method: 'GET' }, limits);
  }

  /** As `get`; any 2xx is a success. The body of the response is read within the budget. */
  post(url: string, { type, body }: { type: string; body: Buffer }, limits: FetchLimits): Promise<Fetched> {
    return this.send(url, { method: 'POST', headers: { 'content-type': type }, body }, limits);
  }

  /**
   * A HEAD request, which must change nothing at the server (RFC 9110 section 9.3.2). Public addresses may be asked over
   * http too. Never rejects, and ends within `timeoutMs` after it has a permit.
   */
  async head(url: string, limit: TimeLimit): Promise<Answered> {
    const problems = targetUrlProblems(url, { allowPrivate: this.allowPrivate, allowHttp: true });
    if (problems.length > 0) return failed('target_refused');
    return this.exchange<Answered>(url, limit, async (transport) => {
      const { statusCode, headers, body } = await request(url, {
        ...transport,
        method: 'HEAD',
        headers: { 'user-agent': USER_AGENT },
      });
      discard(body);
      return { kind: 'answered', status: statusCode, location: locationOf(url, headers['location']) };
    });
  }

  private async send(url: string, content: Content, limits: FetchLimits): Promise<Fetched> {
    const { allowHttp } = limits;
    const problems = targetUrlProblems(url, { allowPrivate: this.allowPrivate, allowHttp });
    if (problems.length > 0) return failed('target_refused');
    return this.exchange<Fetched>(url, limits, (transport) => fetchOver(transport, { url, content, limits }));
  }

  /** Makes one request over a connection of its own, with a permit that it returns when the connection has ended. */
  private async exchange<T>(
    url: string,
    limit: TimeLimit,
    perform: (transport: Transport) => Promise<T>,
  ): Promise<T | Failed<ConnectionFailure | PermitFailure>> {
    let release: () => void;
    try {
      release = await permits.acquire(new URL(url).hostname, limit);
    } catch (error) {
      if (error instanceof NoPermit) return failed(error.failure);
      throw error;
    }
    const end = new Deadline(limit);
    let opening: Promise<unknown> = Promise.resolve();
    const client = new Client(new URL(url).origin, {
      connect: (options, callback) => {
        opening = this.open(options, end.signal).then(
          (socket) => callback(null, socket),
          (error: Error) => callback(error, null),
        );
      },
      pipelining: 0,
    });
    try {
      return await Promise.race([perform({ dispatcher: client, signal: end.signal }), end.reached]);
    } catch (error) {
      return failed(end.failure ?? connectionFailure(error));
    } finally {
      end.stop();
      void Promise.allSettled([client.destroy(), opening]).then(release);
    }
  }
}

type ConnectOptions = Parameters<ReturnType<typeof pinnedOpener>>[0];

interface Transport {
  dispatcher: Dispatcher;
  signal: AbortSignal;
}

interface Failed<F> {
  kind: 'failed';
  failure: F;
}

/** Ends a request by its time or by the signal of the requester. */
class Deadline {
  /** Why the request was ended early. */
  failure: 'timeout' | 'aborted' | null = null;
  /**
   * The client observes a signal only once it has a socket; the wait for name servers must be ended from outside.
   */
  readonly reached: Promise<Failed<'timeout' | 'aborted'>>;
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly leave = (): void => this.abort('aborted');
  private readonly requester: AbortSignal | undefined;

  constructor({ timeoutMs, signal }: TimeLimit) {
    this.requester = signal;
    this.timer = setTimeout(() => this.abort('timeout'), timeoutMs);
    this.reached = new Promise((resolve) => {
      this.signal.addEventListener('abort', () => resolve(failed(this.failure ?? 'aborted')), { once: true });
    });
    signal?.addEventListener('abort', this.leave, { once: true });
    if (signal?.aborted) this.leave();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The request is complete. Also ends one that lost the race while its name was being resolved. */
  stop(): void {
    clearTimeout(this.timer);
    this.requester?.removeEventListener('abort', this.leave);
    this.controller.abort();
  }

  private abort(failure: 'timeout' | 'aborted'): void {
    this.failure = failure;
    this.controller.abort();
  }
}

async function fetchOver(
  transport: Transport,
  { url, content, limits }: { url: string; content: Content; limits: FetchLimits },
): Promise<Fetched> {
  const { method, headers: own, body: sent } = content;
  const { statusCode, headers, body } = await request(url, {
    ...transport,
    method,
    headers: { 'user-agent': USER_AGENT, 'accept-encoding': 'identity', ...own },
    ...(sent === undefined ? {} : { body: sent }),
  });
  const isAccepted = method === 'POST' && statusCode >= 200 && statusCode < 300;
  const failure = isAccepted ? null : responseFailure(statusCode, headers);
  if (failure === null) return read(body, limits.budget, String(headers['content-type'] ?? ''));
  discard(body);
  const location = failure === 'redirect_not_followed' ? locationOf(url, headers['location']) : null;
  return location === null ? failed(failure) : { ...failed(failure), location };
}

const failed = <F extends FetchFailure>(failure: F): Failed<F> => ({ kind: 'failed', failure });

function locationOf(url: string, header: string | string[] | undefined): string | null {
  const target = typeof header === 'string' ? parseUrl(header, url) : null;
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
