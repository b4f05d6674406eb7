import { Injectable } from '@nestjs/common';
import { callFailure, Config, pinnedConnector, TargetResolver, type CallFailure } from '#libs/kernel';
import { Agent, request, type Dispatcher } from 'undici';
import { webhookUrlRule } from './webhook-rules.js';

const ANSWER_BYTES = 4096;
/** The status has decided; the text of the answer is only for the log and worth no more waiting than this. */
const ANSWER_WAIT_MS = 2_000;
const USER_AGENT = 'Postloft-Webhooks/1';

export interface WebhookCall {
  url: string;
  body: string;
  /** Signatures, sequence, attempt; content type and user agent are added. */
  headers: Record<string, string>;
}

/** Why no answer came; a coarse word for the delivery log. */
export type PostFailure = CallFailure | 'interrupted' | 'secret_unreadable';

/** What came of one call. `latencyMs` is the time to the status line. */
export type PostResult =
  | { kind: 'answered'; status: number; retryAfter: string | undefined; answer: string; latencyMs: number }
  | { kind: 'unanswered'; failure: PostFailure; latencyMs: number };

/**
 * POSTs to URLs that customers chose. Never follows a redirect, never uses a proxy from the environment, reads 4 KiB of
 * the answer, and is done within WEBHOOK_TIMEOUT whatever the other side does. Sockets are kept alive per origin.
 */
@Injectable()
export class WebhookPost {
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
  async post(call: WebhookCall): Promise<PostResult> {
    const started = performance.now();
    const elapsed = () => Math.round(performance.now() - started);
    // The setting may have changed since the endpoint was created.
    if (webhookUrlRule(call.url, { allowPrivate: this.allowPrivate }).length > 0)
      return { kind: 'unanswered', failure: 'target_refused', latencyMs: 0 };
    const running = new AbortController();
    const timer = setTimeout(() => running.abort(new CallEnded('timeout')), this.timeoutMs);
    this.running.add(running);
    try {
      const response = await Promise.race([this.send(call, running.signal), aborted(running.signal)]);
      const latencyMs = elapsed();
      const answer = await readAnswer(response.body, Math.min(ANSWER_WAIT_MS, this.timeoutMs - latencyMs));
      return { kind: 'answered', status: response.statusCode, retryAfter: retryAfterOf(response), answer, latencyMs };
    } catch (error) {
      const failure = error instanceof CallEnded ? error.failure : callFailure(error);
      return { kind: 'unanswered', failure, latencyMs: elapsed() };
    } finally {
      clearTimeout(timer);
      this.running.delete(running);
    }
  }

  /** Ends every call that runs; their results say `interrupted`. */
  interrupt(): void {
    for (const call of this.running) call.abort(new CallEnded('interrupted'));
  }

  /** Closes the sockets that are kept alive. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private send(call: WebhookCall, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    return request(call.url, {
      dispatcher: this.agent,
      method: 'POST',
      body: call.body,
      headers: { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...call.headers },
      signal,
    });
  }
}

/**
 * The client heeds a signal only once it has a socket, and gives up by itself as soon as it gets one after that. The
 * wait for name servers and for the connection must be ended from outside.
 */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** Why we ended a call ourselves. */
class CallEnded extends Error {
  constructor(readonly failure: 'timeout' | 'interrupted') {
    super(failure);
  }
}

function retryAfterOf(response: Dispatcher.ResponseData): string | undefined {
  const value = response.headers['retry-after'];
  return Array.isArray(value) ? value[0] : value;
}

/** The first 4 KiB as text; a longer, slower or broken answer is cut off together with its socket. */
async function readAnswer(body: Dispatcher.ResponseData['body'], waitMs: number): Promise<string> {
  // Destroying early is an error to the stream, and one without a listener would end the process.
  body.on('error', () => undefined);
  const timer = setTimeout(() => body.destroy(), Math.max(waitMs, 1));
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= ANSWER_BYTES) break;
    }
  } catch {
    // What was read before the break is what there is.
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
  // PostgreSQL text cannot hold NUL.
  return Buffer.concat(chunks).subarray(0, ANSWER_BYTES).toString('utf8').replaceAll('\u0000', '');
}
