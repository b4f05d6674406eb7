import { Injectable } from '@nestjs/common';
import { Config } from '#libs/kernel';
import { connectionFailure, pinnedConnector, TargetResolver, type ConnectionFailure } from '#libs/safe-fetch';
import { Agent, request, type Dispatcher } from 'undici';
import { webhookUrlRule } from '../endpoints/field-rules.js';

/** Of a response body that are read. */
const RESPONSE_BYTES = 4096;
/** The outcome depends on the status only; the body is for the log and worth no longer wait. */
const BODY_TIMEOUT_MS = 2_000;
const USER_AGENT = 'Postloft-Webhooks/1';

export interface WebhookRequest {
  url: string;
  body: string;
  /** Signatures, sequence, attempt; content type and user agent are added. */
  headers: Record<string, string>;
}

/** Why there is no response: one of a few coarse words for the delivery log. */
export type RequestFailure = ConnectionFailure | 'interrupted' | 'secret_unreadable';

/** `latencyMs` is the time to the status line. */
export type RequestResult =
  | { kind: 'response'; status: number; retryAfter: string | undefined; body: string; latencyMs: number }
  | { kind: 'no_response'; failure: RequestFailure; latencyMs: number };

/**
 * Sends POST requests to URLs of customers. Never follows a redirect, never uses a proxy from the environment, reads 4 KiB
 * of the response, and ends within WEBHOOK_TIMEOUT whatever the server does. Sockets are kept alive per origin.
 */
@Injectable()
export class WebhookHttpClient {
  private readonly agent: Agent;
  private readonly timeoutMs: number;
  private readonly allowPrivate: boolean;
  private readonly running = new Set<AbortController>();

  constructor(config: Config) {
    const { WEBHOOK_TIMEOUT, ALLOW_PRIVATE_WEBHOOKS, DNS_SERVERS } = config.settings;
    this.timeoutMs = WEBHOOK_TIMEOUT;
    this.allowPrivate = ALLOW_PRIVATE_WEBHOOKS;
    const resolver = new TargetResolver({ allowPrivate: this.allowPrivate, dnsServers: DNS_SERVERS });
    this.agent = new Agent({ connect: pinnedConnector(resolver), pipelining: 1 });
  }

  /** Never throws. */
  async post(webhookRequest: WebhookRequest): Promise<RequestResult> {
    const started = performance.now();
    const elapsed = () => Math.round(performance.now() - started);
    // The setting may have changed since the endpoint was created.
    if (webhookUrlRule(webhookRequest.url, { allowPrivate: this.allowPrivate }).length > 0)
      return { kind: 'no_response', failure: 'target_refused', latencyMs: 0 };
    const running = new AbortController();
    const timer = setTimeout(() => running.abort(new RequestAborted('timeout')), this.timeoutMs);
    this.running.add(running);
    try {
      const response = await Promise.race([this.send(webhookRequest, running.signal), aborted(running.signal)]);
      const latencyMs = elapsed();
      const body = await readBody(response.body, Math.min(BODY_TIMEOUT_MS, this.timeoutMs - latencyMs));
      return { kind: 'response', status: response.statusCode, retryAfter: retryAfterOf(response), body, latencyMs };
    } catch (error) {
      const failure = error instanceof RequestAborted ? error.failure : connectionFailure(error);
      return { kind: 'no_response', failure, latencyMs: elapsed() };
    } finally {
      clearTimeout(timer);
      this.running.delete(running);
    }
  }

  /** Aborts all requests in progress; their results are `interrupted`. */
  interrupt(): void {
    for (const running of this.running) running.abort(new RequestAborted('interrupted'));
  }

  /** Closes the idle sockets. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private send({ url, body, headers }: WebhookRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    return request(url, {
      dispatcher: this.agent,
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...headers },
      signal,
    });
  }
}

/**
 * Rejects when `signal` aborts. undici honours a signal only once it has a socket, so the wait for DNS and for the
 * connection must be ended from outside.
 */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

class RequestAborted extends Error {
  constructor(readonly failure: 'timeout' | 'interrupted') {
    super(failure);
  }
}

function retryAfterOf(response: Dispatcher.ResponseData): string | undefined {
  const value = response.headers['retry-after'];
  return Array.isArray(value) ? value[0] : value;
}

/** The first 4 KiB as text. A longer, slower or broken body is cut off and its socket destroyed. */
async function readBody(body: Dispatcher.ResponseData['body'], timeoutMs: number): Promise<string> {
  // Destroying the stream early emits an error, which would end the process without a listener.
  body.on('error', () => undefined);
  const timer = setTimeout(() => body.destroy(), Math.max(timeoutMs, 1));
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= RESPONSE_BYTES) break;
    }
  } catch {
    // The part that was read is kept.
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
  // PostgreSQL text cannot hold NUL.
  return Buffer.concat(chunks).subarray(0, RESPONSE_BYTES).toString('utf8').replaceAll('\u0000', '');
}
